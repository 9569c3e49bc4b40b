// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worksharing loops that are split: each part is a separate region, and no loop with the program's stores is left in
// the function that forks. If nothing is split the program's region stays.
//
// RUN: env COMM_COST=none %commcc -O2 -fopenmp -g -Rcomm -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.ll
// RUN: env COMM_COST=none %commcc -O2 -fopenmp -g -c %s -o %t.o
// RUN: llvm-dwarfdump --verify %t.o
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck --check-prefix=LINES %s
// RUN: env COMM_COST=none commcc -O2 -fopenmp -fPIC -fno-math-errno -c %s -o %t.o

#include <math.h>
#include <mpi.h>
#include <omp.h>

static void exchange(double *u, int n, int m, int up, int down) {
  MPI_Sendrecv(u + m, m, MPI_DOUBLE, up, 0, u + (n - 1) * m, m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// CHECK-LABEL: define {{.*}}void @stencil(
// CHECK-NOT: store double
// CHECK: call {{.*}}@MPI_Irecv(
// CHECK-NOT: store double
// CHECK: call void {{.*}}@__kmpc_fork_call(ptr nonnull @{{.*}}, i32 {{.*}}, ptr nonnull @stencil.omp_outlined.comm
// CHECK-NOT: store double
// CHECK: call {{.*}}@MPI_Wait
// CHECK-NOT: store double
// CHECK: call void {{.*}}@__kmpc_fork_call(ptr nonnull @{{.*}}, i32 {{.*}}, ptr nonnull @stencil.omp_outlined.comm
// CHECK-NOT: store double
// CHECK: ret void
// REMARK-DAG: splits the loop at worksharing.c:[[#@LINE+4]]
void stencil(double *restrict u, double *restrict v, int n, int m, int up, int down) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      // LINES-DAG: 0x{{[0-9a-f]+}} [[@LINE+1]]
      v[i * m + j] = exp(u[(i - 1) * m + j]) + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1];
}

// CHECK-LABEL: define {{.*}}void @whole(
// CHECK: call void {{.*}}@__kmpc_fork_call(ptr nonnull @{{.*}}, i32 {{.*}}, ptr nonnull @whole.omp_outlined,
// REMARK-DAG: MPI_Sendrecv at worksharing.c:17 overlaps 1 OpenMP region
void whole(double *restrict u, double *restrict v, int n, int m, int up, int down) {
  exchange(u, n, m, up, down);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    v[i] = 2 * v[i];
  u[0] = v[3];
}

// The region's own functions are unchanged: each thread has one range of iterations.
// CHECK: define internal void @stencil.omp_outlined.comm{{.*}}(ptr noalias noundef{{.*}} !dbg
// CHECK-NOT: MPI
// CHECK: call void @__kmpc_for_static_init_8u(ptr nonnull @{{.*}}, i32 %{{.*}}, i32 34, ptr nonnull %{{.*}}, ptr nonnull %{{.*}}, ptr nonnull %{{.*}}, ptr nonnull %{{.*}}, i64 1, i64 1)
// CHECK: store double
// CHECK: call void @__kmpc_for_static_fini(
