// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's own nonblocking calls that stay where they are: each says why, and what to do.
//
// RUN: %commcc -O2 -g -Rpass-missed=comm-promote-requests -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK-DAG: remark: MPI_Irecv stays where it is: its request is on the heap, in a global or in what a caller passed
// CHECK-DAG: remark: MPI_Waitall stays where it is: its request is on the heap
// CHECK-DAG: remark: MPI_Iallreduce stays where it is: nonblocking collectives of the program stay where they are: call MPI_Allreduce
// CHECK-DAG: remark: MPI_Waitall stays where it is: MPI_Waitall at {{.*}} returns statuses: pass MPI_STATUSES_IGNORE
// CHECK-DAG: remark: MPI_Irecv stays where it is: MPI_Waitall at {{.*}} waits for a number of requests that is not constant
// CHECK-DAG: remark: MPI_Test stays where it is: MPI_Test at {{.*}} completes it only if it can
// CHECK-DAG: remark: MPI_Isend stays where it is: its request is on the heap, in a global or in what a caller passed
// CHECK-DAG: remark: MPI_Send_init stays where it is: Comm has no operation for it
// CHECK-DAG: remark: MPI_Start stays where it is: Comm has no operation for it
// CHECK-DAG: remark: MPI_Put stays where it is: nothing moves across an operation on a window
// CHECK-DAG: remark: MPI_Win_fence stays where it is: nothing moves across an operation on a window

#include <mpi.h>
#include <stdlib.h>
extern double work[1000];
struct s { double x[10]; MPI_Request r; };
void heap(double *a, int n, int k) {
  MPI_Request *q = malloc(n * sizeof *q);
  for (int i = 0; i < n; ++i) MPI_Irecv(a + i, 1, MPI_DOUBLE, i, 0, MPI_COMM_WORLD, &q[i]);
  MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
  free(q);
}
void coll(double *a, double *b) {
  MPI_Request q;
  MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &q);
  for (int i = 0; i < 1000; ++i) work[i] *= 2;
  MPI_Wait(&q, MPI_STATUS_IGNORE);
}
void statuses(double *a, double *b, MPI_Status *s) {
  MPI_Request q[2];
  MPI_Irecv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(b, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, s);
}
void variable(double *a, double *b, int n) {
  MPI_Request q[2];
  MPI_Irecv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(b, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
}
int test(double *a) {
  MPI_Request q; int flag;
  MPI_Irecv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q);
  MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
  if (!flag) MPI_Wait(&q, MPI_STATUS_IGNORE);
  return flag;
}
void structure(struct s *p) {
  MPI_Isend(p->x, 10, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &p->r);
  MPI_Wait(&p->r, MPI_STATUS_IGNORE);
}
void persistent(double *a) {
  MPI_Request q;
  MPI_Send_init(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q);
  MPI_Start(&q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Request_free(&q);
}
void rma(double *a, MPI_Win w) { MPI_Put(a, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, w); MPI_Win_fence(0, w); }
void fine(double *a, double *b) {
  MPI_Request q;
  MPI_Irecv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q);
  for (int i = 0; i < 1000; ++i) work[i] *= 2;
  MPI_Wait(&q, MPI_STATUS_IGNORE);
}
