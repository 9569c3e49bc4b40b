// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with index arrays: how many iterations run before the first wait. Rows with ghosts are scattered, as in blocks
// of two or three dimensions, or iterations depend on each other, and the first ones need no ghost.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -Rcomm %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-7: 0 before the first wait
#include "Inputs/cells.h"

enum { width = 10, rows = width * width, ghosts = width, most = 6 };

/// Rows of a matrix, with tables of pointers as in HPCG.
typedef struct {
  int rows;
  char length[rows];
  int *column[rows];
  double *value[rows];
} Matrix;

/// Each row reads its neighbors in the block; those at `ghostAt` in a line of the block read a ghost.
NOINLINE static Matrix *makeMatrix(int ghostAt, int firstLine) {
  Matrix *a = malloc(sizeof *a);
  a->rows = rows;
  for (int i = 0; i < rows; ++i) {
    int n = 0, *column = a->column[i] = malloc(sizeof(int) * most);
    for (int j = i - width; j <= i + width; j += width)
      if (j >= 0 && j < rows)
        column[n++] = j;
    if (i % width != 0)
      column[n++] = i - 1;
    if (i % width != width - 1)
      column[n++] = i + 1;
    if (i % width == ghostAt && i / width >= firstLine)
      column[n++] = rows + i / width;
    a->length[i] = n;
    a->value[i] = fill(most, 0.25);
  }
  return a;
}

static void exchange(double *x, double *out) {
  MPI_Request q[2];
  MPI_Irecv(x + rows, ghosts, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(out, ghosts, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
}

/// All rows except one in each line, or all rows of a run that is not alone.
// CHECK: product: 90 before the first wait, of 100
// CHECK: product: 80 before the first wait, of 100
NOINLINE static void product(const Matrix *a, double *restrict y, double *x, double *out) {
  exchange(x, out);
  for (int i = 0; i < a->rows; ++i) {
    double sum = 0;
    for (int k = 0; k < a->length[i]; ++k)
      sum += a->value[i][k] * x[a->column[i][k]];
    y[i] = sum;
  }
}

/// In place: the rows of the first lines, up to one that reads a ghost.
// CHECK: smooth: 69 before the first wait, of 100
// CHECK: smooth: 0 before the first wait, of 100
NOINLINE static void smooth(const Matrix *a, double *y, double *x, double *out, double *seen) {
  exchange(x, out);
  for (int i = 0; i < a->rows; ++i) {
    double sum = y[i];
    for (int k = 0; k < a->length[i]; ++k)
      sum -= a->value[i][k] * x[a->column[i][k]];
    x[i] = sum * 0.125;
    seen[i] = x[i];
  }
}

/// A sum of floating-point numbers keeps its order, too.
// CHECK: add: 69 before the first wait, of 100
NOINLINE static double add(const Matrix *a, double *x, double *out, double *seen) {
  exchange(x, out);
  double norm = 0;
  for (int i = 0; i < a->rows; ++i) {
    double sum = 0;
    for (int k = 0; k < a->length[i]; ++k)
      sum += a->value[i][k] * x[a->column[i][k]];
    x[i] += sum * 0.125;
    seen[i] = sum;
    norm += sum * sum;
  }
  return norm;
}

/// Written by index.
// CHECK: scatter: 69 before the first wait, of 100
NOINLINE static void scatter(const Matrix *a, double *restrict y, double *restrict x, double *out,
                             double *restrict seen) {
  exchange(x, out);
  for (int i = 0; i < a->rows; ++i) {
    double sum = 0;
    for (int k = 0; k < a->length[i]; ++k)
      sum += x[a->column[i][k]];
    y[a->column[i][0]] += sum;
    seen[i] = sum;
  }
}

/// Each iteration needs a number of the one before.
// CHECK: recur: 69 before the first wait, of 100; sum {{.*}}
NOINLINE static double recur(const Matrix *a, double *x, double *out, double *seen) {
  exchange(x, out);
  double carry = 0.5;
  for (int i = 0; i < a->rows; ++i) {
    for (int k = 0; k < a->length[i]; ++k)
      carry = carry * 0.75 - x[a->column[i][k]] * 0.5;
    seen[i] = carry;
    x[i] = carry;
  }
  return carry;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *x = fill(rows + ghosts, rank + 1), *out = fill(ghosts, 3), *y = fill(rows, 2);
  for (int i = 0; i < 2; ++i) {
    double *seen = fill(rows, NAN);
    Matrix *a = makeMatrix(i ? 0 : width - 1, 0);
    if (i) // and in the middle of a line
      for (int j = 4; j < rows; j += width)
        a->column[j][0] = rows + 1;
    watch(seen, rows);
    product(a, seen, x, out);
    tell("product", seen, rows, rows);
  }
  for (int i = 0; i < 2; ++i) {
    double *seen = fill(rows, NAN);
    Matrix *a = makeMatrix(i ? 0 : width - 1, i ? 0 : 6);
    watch(seen, rows);
    smooth(a, y, x, out, seen);
    tell("smooth", seen, rows, rows);
  }
  double *seen = fill(rows, NAN);
  Matrix *a = makeMatrix(width - 1, 6);
  watch(seen, rows);
  double norm = add(a, x, out, seen);
  tell("add", seen, rows, rows);
  seen = fill(rows, NAN);
  watch(seen, rows);
  scatter(a, y, x, out, seen);
  tell("scatter", seen, rows, rows);
  seen = fill(rows, NAN);
  watch(seen, rows);
  double carry = recur(a, x, out, seen);
  tell("recur", seen, rows, rows);
  if (!rank)
    printf("%.17g %.17g\n", norm, carry);
  MPI_Finalize();
  return 0;
}
