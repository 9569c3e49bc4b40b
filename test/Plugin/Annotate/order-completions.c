// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that wait for any of their requests, each of which they complete once, wait for one after the other.
//
// RUN: %commcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %commcc -O2 -fcomm-mode=basic -S -emit-llvm %s -o - | FileCheck %s --check-prefix=BASIC
// RUN: %commcc -O2 -DPERSISTENT -S -emit-llvm %s -o - | FileCheck %s --check-prefix=KEPT
// BASIC-LABEL: define {{.*}}@each(
// BASIC: call i32 @MPI_Waitany(
// KEPT-LABEL: define {{.*}}@each(
// KEPT: call i32 @MPI_Waitany(
#include <mpi.h>

void put(double *u, int from);

// CHECK-LABEL: define {{.*}}@each(
// CHECK-NOT: call i32 @MPI_Waitany(
// CHECK: call i32 @MPI_Wait(
// CHECK-NOT: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@counted(
void each(double *in[4], double *u, const int *from, int n) {
  MPI_Request r[4];
  for (int d = 0; d < 4; ++d)
    MPI_Irecv(in[d], n, MPI_DOUBLE, from[d], 0, MPI_COMM_WORLD, &r[d]);
  for (int k = 0; k < 4; ++k) {
    int d;
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    u[d] += in[d][0];
  }
}

// As many as there are, whose calls are checked.
// CHECK-NOT: call i32 @MPI_Waitany(
// CHECK: call i32 @MPI_Wait(
// CHECK-NOT: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@passes(
void counted(double *in[4], double *u, const int *from, int n) {
  MPI_Request r[4];
  int count = 0, which[4];
  for (int d = 0; d < 4; ++d)
    if (from[d] >= 0) {
      MPI_Irecv(in[d], n, MPI_DOUBLE, from[d], 0, MPI_COMM_WORLD, &r[count]);
      which[count++] = d;
    }
  for (int k = 0; k < count; ++k) {
    int i;
    MPI_Status status;
    if (MPI_Waitany(count, r, &i, &status) != MPI_SUCCESS)
      MPI_Abort(MPI_COMM_WORLD, 1);
    u[which[i]] += in[which[i]][0];
  }
}

// What is sent on may be what the others wait for.
// CHECK: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@first(
void passes(double *in[4], const int *from, int to, int n) {
  MPI_Request r[4];
  for (int d = 0; d < 4; ++d)
    MPI_Irecv(in[d], n, MPI_DOUBLE, from[d], 0, MPI_COMM_WORLD, &r[d]);
  for (int k = 0; k < 4; ++k) {
    int d;
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    MPI_Send(in[d], n, MPI_DOUBLE, to, d, MPI_COMM_WORLD);
  }
}

// The first one that is positive is enough: the others may never come.
// CHECK: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@some(
int first(double *in[4], const int *from, int n) {
  MPI_Request r[4];
  int d = -1;
  for (int d = 0; d < 4; ++d)
    MPI_Irecv(in[d], n, MPI_DOUBLE, from[d], 0, MPI_COMM_WORLD, &r[d]);
  for (int k = 0; k < 4; ++k) {
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    if (in[d][0] > 0)
      break;
  }
  for (int k = 0; k < 4; ++k)
    if (k != d)
      MPI_Cancel(&r[k]);
  return d;
}

// Fewer than there are.
// CHECK: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@unknown(
void some(double *in[4], double *u, const int *from, int n) {
  MPI_Request r[4];
  for (int d = 0; d < 4; ++d)
    MPI_Irecv(in[d], n, MPI_DOUBLE, from[d], 0, MPI_COMM_WORLD, &r[d]);
  for (int k = 0; k < 3; ++k) {
    int d;
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    u[d] += in[d][0];
  }
  MPI_Request_free(&r[3]);
}

// Nobody knows what a function does, or who made the requests, or which ones come into the array meanwhile.
// CHECK: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@passed(
void unknown(double *in[4], double *u, const int *from, int n) {
  MPI_Request r[4];
  for (int d = 0; d < 4; ++d)
    MPI_Irecv(in[d], n, MPI_DOUBLE, from[d], 0, MPI_COMM_WORLD, &r[d]);
  for (int k = 0; k < 4; ++k) {
    int d;
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    put(u, d);
  }
}
// CHECK: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@refilled(
void passed(MPI_Request *r, double *in[4], double *u) {
  for (int k = 0; k < 4; ++k) {
    int d;
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    u[d] += in[d][0];
  }
}
// CHECK: call i32 @MPI_Waitany(
// CHECK-LABEL: define {{.*}}@shown(
void refilled(MPI_Request *more, double *in[4], double *u, const int *from, int n) {
  MPI_Request r[4];
  for (int d = 0; d < 4; ++d)
    MPI_Irecv(in[d], n, MPI_DOUBLE, from[d], 0, MPI_COMM_WORLD, &r[d]);
  for (int k = 0; k < 4; ++k) {
    int d;
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    u[d] += in[d][0];
    r[d] = more[k];
  }
}

// Whoever gets the address may put persistent requests there.
void make(MPI_Request *r);
// CHECK: call i32 @MPI_Waitany(
// CHECK: declare
void shown(double *in[4], double *u) {
  MPI_Request r[4];
  make(r);
  for (int k = 0; k < 4; ++k) {
    int d;
    MPI_Waitany(4, r, &d, MPI_STATUS_IGNORE);
    if (d != MPI_UNDEFINED)
      u[d] += in[d][0];
  }
}

#ifdef PERSISTENT
void persistent(double *u, int n, int to, MPI_Request *r) {
  MPI_Send_init(u, n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, r);
  MPI_Start(r);
}
#endif
