// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays accessed with strides and pointers whose relation is unknown.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -Rcomm %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t > %t.out
// RUN: FileCheck %s --input-file=%t.out
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain > %t.plain.out
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t.plain.out
// RUN: sed 's/: -*[0-9]*/:/' %t.out > %t.sums
// RUN: sed 's/: -*[0-9]*/:/' %t.plain.out | diff - %t.sums
// PLAIN-COUNT-6: -1 before the first wait
#include "Inputs/cells.h"

enum { planes = 8, rows = 6, points = 5 };

static void exchange(double *u, int m, int length) {
  MPI_Sendrecv(u + length, length, MPI_DOUBLE, last, 0, u + (m + 1) * length, length, MPI_DOUBLE, next, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + m * length, length, MPI_DOUBLE, next, 1, u, length, MPI_DOUBLE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/// A plane has the length of its rows, but no number shows that. 8 planes, 6 of which have no remote neighbor.
// CHECK: steps: 180 before the first wait, of 240
NOINLINE static void steps(double *u, double *v, int n0, int n1, int n2, int s0, int s1) {
#define AT(i, j, k) (i) * s0 + (j) * s1 + (k)
  exchange(u, n0, s0);
  for (int i = 1; i <= n0; ++i)
    for (int j = 1; j <= n1; ++j)
      for (int k = 1; k <= n2; ++k)
        v[AT(i, j, k)] = u[AT(i - 1, j, k)] + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] + u[AT(i, j + 1, k)] +
                         u[AT(i, j, k - 1)] + u[AT(i, j, k + 1)] - 6 * u[AT(i, j, k)];
}

/// Rows lie across each other: nothing may run before the wait.
// CHECK: crossed: 0 before the first wait, of 240
NOINLINE static void crossed(double *u, double *v) { steps(u, v, planes, rows, points, 9, 70); }

typedef struct {
  int rows, columns, length;
  double *cells;
} Field;

/// How long rows are is loaded in the loop, from two objects.
// CHECK: fields: 180 before the first wait, of 240
NOINLINE void fields(Field *a, Field *b, int m, int n) {
  exchange(a->cells, m, a->length);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      b->cells[i * b->length + j] = a->cells[(i - 1) * a->length + j] + a->cells[(i + 1) * a->length + j] -
                                    a->cells[i * a->length + j - 1] - a->cells[i * a->length + j + 1];
}

/// The same where the message brings how long they are.
// CHECK: told: 0 before the first wait, of 240
NOINLINE void told(Field *a, Field *b, int m, int n, const void *sent, void *arrived, int bytes) {
  MPI_Sendrecv(sent, bytes, MPI_BYTE, next, 2, arrived, bytes, MPI_BYTE, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      b->cells[i * b->length + j] = a->cells[(i - 1) * a->length + j] + a->cells[(i + 1) * a->length + j];
}

/// The first and the last point lack a neighbor on one side, but are treated as if they had one: two more rows wait.
// CHECK: clamped: 120 before the first wait, of 240
NOINLINE static void clamped(double *u, double *v, int m, int n) {
  exchange(u, m, n);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      int west = j > 0 ? j - 1 : 0, east = j < n - 1 ? j + 1 : n - 1;
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + west] - u[i * n + east];
    }
}

/// Pointers to rows, and a datatype for columns that knows nothing of them.
// CHECK: columns: 224 before the first wait, of 240
NOINLINE static void columns(double **u, double **v, int m, int n) {
  MPI_Datatype column;
  MPI_Type_vector(m, 1, n + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(&u[1][1], 1, column, last, 0, &u[1][n + 1], 1, column, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[1][n], 1, column, next, 1, &u[1][0], 1, column, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
}

static double **pointRows(double *cells, int number, int length) {
  double **pointers = malloc(sizeof(double *) * number);
  for (int i = 0; i < number; ++i)
    pointers[i] = cells + i * length;
  return pointers;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int plane = (rows + 2) * (points + 2), number = (planes + 2) * plane + argc - 1;
  double *u = fill(number, rank), *v = fill(number, NAN);
  watch(v, number);
  steps(u, v, planes, rows, points, plane, points + 2);
  tell("steps", v, number, planes * rows * points);

  u = fill(2000, rank), v = fill(2000, NAN);
  watch(v, 2000);
  crossed(u, v);
  tell("crossed", v, 2000, planes * rows * points);

  int m = 8 + argc - 1, n = 29 + argc;
  number = (m + 2) * (n + 2);
  Field a = {m, n, n + 2, fill(number, rank)}, b = {m, n, n + 2, fill(number, NAN)};
  watch(b.cells, number);
  fields(&a, &b, m, n);
  tell("fields", b.cells, number, m * n);

  b.cells = fill(number, NAN);
  b.length = n + 1;
  watch(b.cells, number);
  told(&a, &b, m, n, &a.length, &b.length, sizeof b.length);
  tell("told", b.cells, number, m * n);

  u = fill(number, rank), v = fill(number, NAN);
  watch(v, number);
  clamped(u, v, m, n);
  tell("clamped", v, number, m * n);

  u = fill(number, rank), v = fill(number, NAN);
  watch(v, number);
  columns(pointRows(u, m + 2, n + 2), pointRows(v, m + 2, n + 2), m, n);
  tell("columns", v, number, m * n);
  MPI_Finalize();
}
