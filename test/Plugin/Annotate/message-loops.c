// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short loops over messages are unrolled, so that the messages are in flight together.
//
// RUN: %commcc -O2 -g -fcomm-cost=none -fcomm-known-sources -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcc -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
// RUN: %commcc -O2 -fcomm-mode=off -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
#include <mpi.h>
#include <string.h>

// Fields by their addresses, too many for other unrolling.
// CHECK-DAG: remark: MPI_Sendrecv at message-loops.c:[[#@LINE+6]] overlaps 8 other communications
// OFF-LABEL: @fields(
// OFF-COUNT-1: call i32 @MPI_Sendrecv(
// OFF-NOT: call i32 @MPI_Sendrecv(
void fields(double *field[12], int rows, int up, int down) {
  for (int k = 0; k < 12; ++k)
    MPI_Sendrecv(field[k] + 64, 64, MPI_DOUBLE, up, k, field[k] + rows * 64, 64, MPI_DOUBLE, down, k, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// The program forbids unrolling this one.
// OFF-LABEL: @stays(
// IR-LABEL: define {{.*}}@stays(
// IR-COUNT-1: call i32 @MPI_Sendrecv(
// IR-NOT: call i32 @MPI_Sendrecv(
// IR-LABEL: define {{.*}}@steps(
void stays(double (*field)[256], int up, int down) {
#pragma nounroll
  for (int k = 0; k < 12; ++k)
    MPI_Sendrecv(field[k] + 64, 64, MPI_DOUBLE, up, k, field[k], 64, MPI_DOUBLE, down, k, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// Time steps, with loops in them: once is enough.
// IR-COUNT-1: call i32 @MPI_Send(
// IR-NOT: call i32 @MPI_Send(
// IR-LABEL: define {{.*}}@many(
void steps(double *u, double *v, int n, int up, int down) {
  for (int step = 0; step < 10; ++step) {
    MPI_Send(u, n, MPI_DOUBLE, up, step, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i)
      v[i] += u[i];
  }
}

// More than a few.
// IR-COUNT-1: call i32 @MPI_Send(
// IR-NOT: call i32 @MPI_Send(
// IR-LABEL: define {{.*}}@faces(
void many(double *u, int up) {
  for (int k = 0; k < 1000; ++k)
    MPI_Send(u + k, 1, MPI_DOUBLE, up, k, MPI_COMM_WORLD);
}

// Loops that create datatypes, also nested: their identity is known afterwards.
// OFF-LABEL: define {{.*}}@faces(
// OFF-COUNT-4: call i32 @MPI_Type_create_subarray(
// OFF-NOT: call i32 @MPI_Type_create_subarray(
// IR-COUNT-12: call i32 @MPI_Type_create_subarray(
// IR-LABEL: define {{.*}}@tables(
void faces(double *u, int n, const int *neighbor, MPI_Comm comm) {
  MPI_Datatype sent[6], received[6];
  int sizes[3] = {n + 2, n + 2, n + 2};
  for (int d = 0; d < 3; ++d)
    for (int side = 0; side < 2; ++side) {
      int part[3] = {n, n, n}, first[3] = {1, 1, 1};
      part[d] = 1;
      first[d] = side ? sizes[d] - 2 : 1;
      MPI_Type_create_subarray(3, sizes, part, first, MPI_ORDER_C, MPI_DOUBLE, &sent[2 * d + side]);
      MPI_Type_commit(&sent[2 * d + side]);
      first[d] = side ? sizes[d] - 1 : 0;
      MPI_Type_create_subarray(3, sizes, part, first, MPI_ORDER_C, MPI_DOUBLE, &received[2 * d + side]);
      MPI_Type_commit(&received[2 * d + side]);
    }
  for (int f = 0; f < 6; ++f)
    MPI_Sendrecv(u, 1, sent[f], neighbor[f], f, u, 1, received[f], neighbor[f], f ^ 1, comm, MPI_STATUS_IGNORE);
}

// Neighbors and buffers in tables, in a loop that contains loops: packing uses the tables as well.
// IR-COUNT-4: call i32 @MPI_Isend(
// IR-LABEL: define {{.*}}@persistent(
void tables(double *u, double *sent[4], double *arrived[4], const int neighbor[4], int n) {
  MPI_Request requests[8];
  for (int k = 0; k < 4; ++k)
    MPI_Irecv(arrived[k], n, MPI_DOUBLE, neighbor[k], 3 - k, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 4; ++k) {
    if (k < 2)
      for (int i = 0; i < n; ++i)
        sent[k][i] = u[k + i * n];
    else
      memcpy(sent[k], u + k * n, n * sizeof(double));
    MPI_Isend(sent[k], n, MPI_DOUBLE, neighbor[k], k, MPI_COMM_WORLD, &requests[4 + k]);
  }
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

// Persistent requests, with calls that are checked: a loop that the end of the program leaves has as many iterations.
// OFF-LABEL: define {{.*}}@persistent(
// OFF-COUNT-1: call i32 @MPI_Recv_init(
// OFF-NOT: call i32 @MPI_Recv_init(
// OFF-LABEL: define {{.*}}@found(
// IR-COUNT-16: call i32 @MPI_Recv_init(
// IR-LABEL: define {{.*}}@found(
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    if (call)                                                                                                          \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                    \
  } while (0)
void persistent(double *arrived[16], const int *neighbor, int n, MPI_Request requests[16]) {
  for (int k = 0; k < 16; ++k)
    TRY(MPI_Recv_init(arrived[k], n, MPI_DOUBLE, neighbor[k], k, MPI_COMM_WORLD, &requests[k]));
}

// A loop with another exit, after which the program continues, stays.
// IR-COUNT-1: call i32 @MPI_Recv_init(
// IR-NOT: call i32 @MPI_Recv_init(
// IR-LABEL: define {{.*}}@chosen(
int found(double *arrived[16], const int *neighbor, int n, MPI_Request requests[16]) {
  int k = 0;
  for (; k < 16; ++k) {
    if (neighbor[k] < 0)
      break;
    MPI_Recv_init(arrived[k], n, MPI_DOUBLE, neighbor[k], k, MPI_COMM_WORLD, &requests[k]);
  }
  return k;
}

// Rows and columns, selected by a switch or by a computation on the direction.
// IR-COUNT-8: call i32 @MPI_Isend(
// IR-LABEL: define {{.*}}@often(
void chosen(double *const *face, const double *u, int rows, int columns, const int *neighbor, MPI_Request *requests) {
  int n = 0;
  for (int d = 0; d < 4; ++d) {
    switch (d) {
    case 0:
    case 1:
      for (int i = 0; i < rows; ++i)
        face[d][i] = u[i * columns + (d ? columns - 1 : 0)];
      break;
    default:
      for (int i = 0; i < columns; ++i)
        face[d][i] = u[i + (d == 3 ? (rows - 1) * columns : 0)];
    }
    MPI_Isend(face[d], d < 2 ? rows : columns, MPI_DOUBLE, neighbor[d], d, MPI_COMM_WORLD, &requests[n++]);
  }
  for (int d = 0; d < 4; ++d) {
    if (d / 2)
      for (int i = 0; i < columns; ++i)
        face[d][i] = u[i + rows];
    else
      for (int i = 0; i < rows; ++i)
        face[d][i] = u[i * columns + 1];
    MPI_Isend(face[d], 4, MPI_DOUBLE, neighbor[d], d, MPI_COMM_WORLD, &requests[n++]);
  }
}

// Time steps that make a datatype and send.
// IR-COUNT-1: call i32 @MPI_Type_vector(
// IR-NOT: call i32 @MPI_Type_vector(
// IR: declare
void often(double *u, int n, int up) {
  for (int step = 0; step < 10; ++step) {
    MPI_Datatype column;
    MPI_Type_vector(n, 1, n + step, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int k = 0; k < n; ++k)
      MPI_Send(u + k, 1, column, up, step, MPI_COMM_WORLD);
    MPI_Type_free(&column);
  }
}
