// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that crash on some functions cost only those functions their overlap. The user is informed. Preloaded code
// ends the first processes that run passes: that of both functions, then that of the first one.
// UNSUPPORTED: asan
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -shared -fPIC %S/Inputs/crashing-passes.c -o %t/crash.so
// DEFINE: %{compile} = %commcc -O2 -fcomm-cost=none -fcomm-errors-are-fatal -S -emit-llvm %s -o -
// RUN: env LD_PRELOAD=%t/crash.so %{compile} 2> %t/none.txt | FileCheck %s --check-prefix=BOTH
// RUN: count 0 < %t/none.txt
//
// RUN: env LD_PRELOAD=%t/crash.so TEST_CRASHES=2 %{compile} 2> %t/one.txt | FileCheck %s --check-prefix=SECOND
// RUN: FileCheck %s --check-prefix=ONE < %t/one.txt
// ONE: crash.c: warning: Comm leaves 'first' as it is: the pipeline crashed (Segmentation fault) [-Rcomm]
// ONE-NOT: {{.}}
//
// The last output of the process is shown as well.
// RUN: env LD_PRELOAD=%t/crash.so TEST_CRASHES=2 TEST_END=fatal %{compile} 2> %t/fatal.txt | FileCheck %s --check-prefix=SECOND
// RUN: FileCheck %s --check-prefix=FATAL < %t/fatal.txt
// FATAL: crash.c: warning: Comm leaves 'first' as it is: the pipeline ended the process: nobody thought of this [-Rcomm]
//
// One line, for any number of functions.
// RUN: env LD_PRELOAD=%t/crash.so TEST_CRASHES=3 %{compile} 2> %t/all.txt | FileCheck %s --check-prefix=NEITHER
// RUN: FileCheck %s --check-prefix=ALL < %t/all.txt
// ALL: crash.c: warning: Comm leaves this file as it is: in 'first', the pipeline crashed (Segmentation fault) [-Rcomm]
// ALL-NOT: {{.}}
#include <mpi.h>

// BOTH-LABEL: define {{.*}}@first(
// BOTH: call {{.*}}@MPI_Irecv(
// SECOND-LABEL: define {{.*}}@first(
// SECOND: call {{.*}}@MPI_Recv(
// NEITHER-LABEL: define {{.*}}@first(
// NEITHER: call {{.*}}@MPI_Recv(
double first(double *restrict ghost, double *restrict inside, int n) {
  MPI_Recv(ghost, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    inside[i] *= 0.5;
  return ghost[0];
}

// BOTH-LABEL: define {{.*}}@second(
// BOTH: call {{.*}}@MPI_Irecv(
// SECOND-LABEL: define {{.*}}@second(
// SECOND: call {{.*}}@MPI_Irecv(
// NEITHER-LABEL: define {{.*}}@second(
// NEITHER: call {{.*}}@MPI_Recv(
double second(double *restrict ghost, double *restrict inside, int n) {
  MPI_Recv(ghost, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    inside[i] *= 0.25;
  return ghost[0];
}
