// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The debug info of a transformed function: it verifies, there is one compile unit, all lines of the function exist,
// and variables in memory keep their names.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %commcc -O2 -g -c %s -o %t/a.o
// RUN: llvm-dwarfdump --verify %t/a.o
// RUN: llvm-dwarfdump %t/a.o | FileCheck %s
// RUN: llvm-dwarfdump --debug-line %t/a.o | FileCheck --check-prefix=LINES %s
// RUN: %commcc -O2 -g -gsplit-dwarf -c %s -o %t/split.o && llvm-dwarfdump --verify %t/split.o
//
// CHECK: DW_TAG_compile_unit
// CHECK: DW_AT_name{{.*}}("exchange")
// CHECK: DW_AT_name{{.*}}("received")
// CHECK-NOT: DW_TAG_compile_unit

#include <mpi.h>

double exchange(double *a, double *b, int n) {
  double sent[2] = {a[0], a[1]};
  double received[2];
  // LINES-DAG: 0x{{[0-9a-f]+}} [[@LINE+1]] 3
  MPI_Alltoall(sent, 1, MPI_DOUBLE, received, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    // LINES-DAG: 0x{{[0-9a-f]+}} [[@LINE+1]] 10
    b[i] *= a[i];
  double sum = received[0] + received[1];
  // LINES-DAG: 0x{{[0-9a-f]+}} [[@LINE+1]] 14
  return sum + b[0];
}
