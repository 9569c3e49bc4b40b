// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effect: the fields of a structure that MPI fills become values, even in a function that is inlined, and calls no
// longer change them. At -O0, in mode off and without the option the code is clang's.
//
// RUN: commcc -O2 -fcomm-mode=basic -fcomm-annotate -S -emit-llvm %s -o - | FileCheck %s
// RUN: commcc -O2 -fcomm-mode=basic -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// RUN: commcc -O2 -fcomm-mode=off -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// RUN: commcc -O0 -fcomm-mode=basic -fcomm-annotate -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// RUN: env COMM_ANNOTATE=1 commcc -O2 -flto -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s

#include <mpi.h>

struct grid {
  int rank, size, left, right;
  MPI_Comm comm;
  double cells[16];
};

static void init(struct grid *g) {
  MPI_Comm_rank(MPI_COMM_WORLD, &g->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g->size);
  g->left = g->rank > 0 ? g->rank - 1 : MPI_PROC_NULL;
  g->right = g->rank + 1 < g->size ? g->rank + 1 : MPI_PROC_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &g->comm);
}

void barrier(void);

// CHECK-LABEL: define{{.*}} @exchange(
// CHECK-NOT: %struct.grid
// CHECK: call void @barrier()
// CHECK-NOT: load
// CHECK: call i32 @MPI_Send(
// CHECK-NOT: load
// CHECK: call i32 @MPI_Recv(
// WITHOUT-LABEL: define{{.*}} @exchange(
// WITHOUT: call void @barrier()
// WITHOUT: load
// WITHOUT: call i32 @MPI_Send(
// WITHOUT: load
// WITHOUT: call i32 @MPI_Recv(
void exchange(double *u) {
  struct grid g;
  init(&g);
  barrier();
  MPI_Send(u, 1, MPI_DOUBLE, g.right, 0, g.comm);
  MPI_Recv(u, 1, MPI_DOUBLE, g.left, 0, g.comm, MPI_STATUS_IGNORE);
}
