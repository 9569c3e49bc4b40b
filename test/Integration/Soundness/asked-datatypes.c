// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Datatypes whose bytes the function does not show: at file scope, chosen at run time. Loops and messages avoid their
// actual bytes: columns, blocks, rows, strides that are not a row's, nested types.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at"
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcc -O2 -g -fcomm-check -fcomm-known-sources %s -o %t.checked
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/cells.h"

enum { most = 6, cells = (most + 2) * (most + 2) * 8, kinds = 16 };
MPI_Datatype first, second;
int next, last;

/// The received and the sent datatype differ; the rows of the loop have a third length.
// CHECK-DAG: .c:[[#@LINE+3]]:{{.*}} splits the loop {{.*}} iterations of 2 nested loops
NOINLINE static void receive(double *restrict v, double *restrict u, const double *from, int count, int m, int s) {
  MPI_Sendrecv(from, count, MPI_DOUBLE, next, 0, u + s, 1, first, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= s - 2; ++j)
      v[i * s + j] = u[i * s + j - 1] - 3 * u[i * s + j] + u[i * s + j + 1];
}

/// The loop writes the data that is sent.
NOINLINE static void send(double *restrict v, double *restrict u, double *to, int count, int m, int s) {
  MPI_Request request[2];
  MPI_Irecv(to, count, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(u + s, 1, first, next, 0, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i <= m; ++i)
    for (int j = 0; j < s; ++j)
      u[i * s + j] += v[i * s + j];
}

/// The second message sends, or gets, bytes of the first one.
// CHECK-DAG: .c:[[#@LINE+5]]:{{.*}} MPI_Sendrecv at {{.*}} overlaps 1 loop
NOINLINE static void both(double *restrict v, double *restrict u, double *restrict w, const double *from, int count,
                          int more, int m, int s) {
  MPI_Sendrecv(from, count, MPI_DOUBLE, next, 0, u + s, 1, first, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + s + 1, 1, second, next, 0, w, more, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(w, more, MPI_DOUBLE, next, 0, u + s + 2, 1, second, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= s - 2; ++j)
      v[i * s + j] = u[(i - 1) * s + j] + u[i * s + j] * 2 - u[(i + 1) * s + j];
}

/// Three dimensions: planes, rows and columns of rows of `t` cells.
// CHECK-DAG: .c:[[#@LINE+4]]:{{.*}} splits the loop {{.*}} iterations of 3 nested loops
NOINLINE static void cube(double *restrict v, double *restrict u, const double *from, int count, int n) {
  int t = n + 2, p = t * t;
  MPI_Sendrecv(from, count, MPI_DOUBLE, next, 0, u + 1, 1, first, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j)
      for (int k = 1; k <= n; ++k)
        v[i * p + j * t + k] = u[(i - 1) * p + j * t + k] + u[i * p + (j + 1) * t + k] - u[i * p + j * t + k - 1];
}

/// If nothing is gained the wait returns to its branch, after the send that it may wait for.
NOINLINE static void branch(double *restrict v, double *restrict u, int isThere) {
  if (isThere)
    MPI_Sendrecv(u + 1, 1, first, next, 0, v + most + 2, 1, second, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  v[0] += v[most + 2];
}

/// The datatype is freed before the loop.
NOINLINE static void freed(double *restrict v, double *restrict u, const double *from, int count, int m, int s) {
  MPI_Sendrecv(from, count, MPI_DOUBLE, next, 0, u + s, 1, second, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&second);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= s - 2; ++j)
      v[i * s + j] = u[i * s + j - 1] - u[i * s + j + 1];
}

int shape[4] = {0, 3, 5, 1};

/// A message of integers delivers the addresses of the next one.
NOINLINE static void numbers(double *restrict v, double *restrict u, int *place, const int *from) {
  MPI_Sendrecv(from, 3, MPI_INT, next, 0, place + 1, 1, first, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(v + shape[1], shape[2], MPI_DOUBLE, next, 0, u + shape[3], shape[2], MPI_DOUBLE, last, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < cells; ++i)
    v[i] -= u[i];
}

/// Datatypes of addresses are in a structure anywhere in memory, and may not exist if nothing is sent.
NOINLINE static void anywhere(double *restrict v, double *u, void *buffer, int to, int from) {
  MPI_Sendrecv(v, 2, MPI_DOUBLE, to, 0, buffer, 1, first, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < 60; ++i)
    v[i] = u[i] - u[i - 1];
}

/// A datatype of rows of `s` cells, at most `m` of them, and its number of cells.
static MPI_Datatype makeRows(int kind, int m, int s, int *count) {
  MPI_Datatype type, inner;
  int sizes[2] = {m + 1, s}, part[2] = {m, 1}, starts[2] = {0, kind % 3};
  int lengths[2] = {1, 2}, places[2] = {s, 0}, few = m < 2 ? m : 2;
  MPI_Aint bytes[2] = {8 * s, 0};
  *count = m;
  switch (kind) {
  case 0:
    MPI_Type_vector(m, 1, s, MPI_DOUBLE, &type);
    break;
  case 1:
    MPI_Type_contiguous(s - 2, MPI_DOUBLE, &type);
    *count = s - 2;
    break;
  case 2:
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    break;
  case 3:
    part[1] = 2, starts[1] = 0;
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    *count = 2 * m;
    break;
  case 4:
    MPI_Type_vector(m, 1, s - 1, MPI_DOUBLE, &type);
    break;
  case 5:
    MPI_Type_create_hvector(m, 1, 8 * (s + 1), MPI_DOUBLE, &type);
    break;
  case 6:
    MPI_Type_vector(few, 1, 2 * s, MPI_DOUBLE, &type);
    *count = few;
    break;
  case 7:
    MPI_Type_vector(2, 1, -s, MPI_DOUBLE, &type);
    *count = 2;
    break;
  case 8:
    MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &type);
    *count = 3;
    break;
  case 9:
    MPI_Type_create_struct(2, lengths, bytes, (MPI_Datatype[2]){MPI_DOUBLE, MPI_DOUBLE}, &type);
    *count = 3;
    break;
  case 10:
    MPI_Type_vector(m, 1, s, MPI_DOUBLE, &inner);
    MPI_Type_create_resized(inner, 0, 8, &type);
    MPI_Type_free(&inner);
    break;
  case 11:
    MPI_Type_vector(m, 1, s, MPI_DOUBLE, &inner);
    MPI_Type_dup(inner, &type);
    MPI_Type_free(&inner);
    break;
  case 12:
    MPI_Type_contiguous(m * s, MPI_DOUBLE, &type);
    *count = m * s;
    break;
  case 13:
    MPI_Type_vector(m, s - 2, s, MPI_DOUBLE, &type);
    *count = m * (s - 2);
    break;
  case 14:
    MPI_Type_vector(0, 1, s, MPI_DOUBLE, &type);
    *count = 0;
    break;
  default:
    MPI_Type_vector(2, 1, 1, MPI_DOUBLE, &inner);
    MPI_Type_create_hvector(m, 1, 8 * s, inner, &type);
    MPI_Type_free(&inner);
    *count = 2 * m;
  }
  MPI_Type_commit(&type);
  return type;
}

/// A face of a cube, or a bar of it.
static MPI_Datatype makeFace(int kind, int n, int *count) {
  int t = n + 2, sizes[3] = {t, t, t}, part[3] = {n, n, n}, starts[3] = {1, 1, 1};
  MPI_Datatype type;
  part[kind % 3] = 1 + kind / 6;
  starts[kind % 3] = kind / 3 % 2 ? n + 1 - kind / 6 : 0;
  MPI_Type_create_subarray(3, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  *count = part[0] * part[1] * part[2];
  return type;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  next = (rank + 1) % size, last = (rank + size - 1) % size;
  double *from = make(cells, 3);
  for (int m = 1; m < most; m += 2)
    for (int s = 3; s < most + 2; ++s)
      for (int kind = 0; kind < kinds; ++kind) {
        int count, more;
        double *u = make(cells, 1), *v = make(cells, 2), *w = make(cells, 4);
        first = makeRows(kind, m, s, &count);
        receive(v, u, from, count, m, s);
        say("receive", digits(v, cells) + digits(u, cells));
        send(v, u, w, count, m, s);
        say("send", digits(w, cells) + digits(u, cells));
        for (int with = 0; with < kinds; ++with) {
          second = makeRows(with, m, s, &more);
          both(v, u, w, from, count, more, m, s);
          say("both", digits(v, cells) + digits(u, cells) + digits(w, cells));
          if (with != kind) {
            MPI_Type_free(&second);
            continue;
          }
          branch(v, u, m != 3);
          say("branch", digits(v, cells) + digits(u, cells));
          freed(v, u, from, more, m, s);
          say("freed", digits(v, cells) + digits(u, cells));
        }
        MPI_Type_free(&first);
        free(u);
        free(v);
        free(w);
      }
  for (int n = 1; n < most - 1; ++n)
    for (int kind = 0; kind < 12; ++kind) {
      int count;
      double *u = make(cells, 1), *v = make(cells, 2);
      first = makeFace(kind, n, &count);
      cube(v, u, from, count, n);
      say("cube", digits(v, cells) + digits(u, cells));
      MPI_Type_free(&first);
      free(u);
      free(v);
    }
  double *u = make(cells, 1), *v = make(cells, 2);
  MPI_Type_dup(MPI_INT, &second);
  MPI_Type_contiguous(3, second, &first);
  MPI_Type_commit(&first);
  numbers(v, u, shape, (int[3]){7, 9, 2});
  say("numbers", digits(v, cells) + digits(u, cells));
  numbers(v, u, (int[5]){0}, (int[3]){1, 2, 3});
  say("numbers", digits(v, cells) + digits(u, cells));
  MPI_Type_free(&first);
  MPI_Type_free(&second);
  MPI_Aint address;
  MPI_Get_address(u + 30, &address);
  MPI_Type_create_hindexed(1, (int[1]){2}, &address, MPI_DOUBLE, &first);
  MPI_Type_commit(&first);
  anywhere(v, u, MPI_BOTTOM, next, last);
  say("bottom", digits(v, cells) + digits(u, cells));
  MPI_Type_free(&first);
  MPI_Type_vector(2, 1, 8, MPI_DOUBLE, &first);
  MPI_Type_commit(&first);
  anywhere(v, u, u + 20, MPI_PROC_NULL, MPI_PROC_NULL);
  say("nobody", digits(v, cells) + digits(u, cells));
  MPI_Type_free(&first);
  free(u);
  free(v);
  free(from);
  MPI_Finalize();
}
