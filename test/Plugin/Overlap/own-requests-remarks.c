// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's own nonblocking calls that stay in place: each remark says why, and what to do.
//
// RUN: %commcc -O2 -g "-Rpass-missed=comm-(promote-requests|move-slices)" -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK-DAG: remark: MPI_Waitall at own-requests-remarks.c:{{[0-9]+}}, which completes MPI_Irecv at own-requests-remarks.c:{{[0-9]+}}, stays where it is: nothing worth overlapping follows it
// CHECK-DAG: remark: MPI_Wait at own-requests-remarks.c:{{[0-9]+}}, which completes MPI_Iallreduce at own-requests-remarks.c:{{[0-9]+}}, stays where it is
// CHECK-DAG: remark: MPI_Waitall at own-requests-remarks.c:{{[0-9]+}}, which completes MPI_Irecv at own-requests-remarks.c:{{[0-9]+}} and 1 other start, stays where it is
// CHECK-DAG: remark: MPI_Waitall at own-requests-remarks.c:{{[0-9]+}}, which completes MPI_Irecv at own-requests-remarks.c:{{[0-9]+}} and 1 other start, stays where it is: after it, the loop at own-requests-remarks.c:{{[0-9]+}} may touch a buffer
// CHECK-DAG: remark: MPI_Test stays where it is: it completes whichever requests are done: only MPI_Wait and MPI_Waitall can be moved
// CHECK-DAG: remark: MPI_Isend stays where it is: its request is in memory that a caller passed
// CHECK-DAG: remark: MPI_Wait stays where it is: its request is in memory that a caller passed
// CHECK-DAG: remark: MPI_Wait stays where it is: the call of {{.*}} at {{.*}} starts, tests, frees or cancels it
// CHECK-DAG: remark: MPI_Irecv stays where it is: no wait of this function completes it
// CHECK-DAG: remark: MPI_Wait stays where it is: nothing that this function starts is in flight there
// CHECK-DAG: remark: MPI_Wait stays where it is: it completes a barrier, which orders accesses to memory that is not among its arguments
// CHECK-DAG: remark: MPI_Isend stays where it is: its request is in a global variable
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
  for (int i = 0; i < n; ++i) b[i] *= b[0];
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
  int done;
  MPI_Send_init(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q);
  MPI_Start(&q);
  MPI_Request_get_status(q, &done, MPI_STATUS_IGNORE);
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
void unfinished(double *a) {
  MPI_Request q, r = MPI_REQUEST_NULL;
  MPI_Irecv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
void barrier(void) {
  MPI_Request q;
  MPI_Ibarrier(MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
}
static MPI_Request everywhere[2];
void global(double *a) {
  MPI_Isend(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &everywhere[0]);
}
void global_wait(void) { MPI_Waitall(2, everywhere, MPI_STATUSES_IGNORE); }
