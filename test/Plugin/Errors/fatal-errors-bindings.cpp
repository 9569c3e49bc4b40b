// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpi.h may contain inline functions of MPI's old C++ bindings, some of which install error handlers. They are
// irrelevant for a file that does not call them.
//
// RUN: commc++ -O2 -g -fcomm-errors-are-fatal -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK-NOT: warning
// CHECK: remark: MPI_Allreduce at fatal-errors-bindings.cpp:[[#]] overlaps 1 loop
// CHECK-NOT: stays blocking

#include <mpi.h>
#include <stdexcept>

static void check(int code) {
  if (code != MPI_SUCCESS)
    throw std::runtime_error("MPI");
}

double sum(double *__restrict in, double *__restrict out, double *__restrict other, int n) {
  check(MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  for (int i = 1; i < 1000; ++i)
    other[i] = other[i - 1] * 0.5 + i;
  return out[0] + other[999];
}
