// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose threads race for a variable does not have thread-independent iterations: the program's region stays,
// after the wait.
//
// RUN: env COMM_COST=none %commcc -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
#include <mpi.h>

// CHECK-LABEL: define {{.*}}i32 @race(
// CHECK: call {{.*}}@MPI_Irecv(
// CHECK-NOT: __kmpc_fork_call
// CHECK: call {{.*}}@MPI_Wait(
// CHECK-NOT: store double
// CHECK: call void {{.*}}@__kmpc_fork_call(ptr nonnull @{{.*}}, i32 {{.*}}, ptr nonnull @race.omp_outlined,
// CHECK-NOT: __kmpc_fork_call
// CHECK: ret i32
int race(double *restrict u, double *restrict v, int n, int m, int from, double *w) {
  int count = 0;
  MPI_Recv(u, m, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  w[1] = w[0] + 1;
#pragma omp parallel for
  for (int i = 1; i < n; ++i) {
    v[i] = u[i - 1];
    if (v[i] > 2)
      ++count;
  }
  return count;
}
