// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points of two colors are relaxed in place: a row reads points of the other color only, so its iterations may be
// reordered. Not if it reads points of its own color, if rows do not alternate, or if the color additionally changes
// from row to row.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { columns = 64, most = 24, points = (most + 4) * (columns + 3) };
static int x[points];
#define X(i, j) x[(i) * n + (j)]

static void exchange(int *x, int rows, int n) {
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(x + rows * n, n, MPI_INT, down, 0, x, n, MPI_INT, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + n, n, MPI_INT, up, 1, x + (rows + 1) * n, n, MPI_INT, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static inline int mix(int a, int b, int c, int d, int e) { return (a * 3 + b * 5 + c * 7 + d * 11 + e) % 10007; }
#define RELAX(i, j) X(i, j) = mix(X(i, j - 1), X(i, j + 1), X((i) - 1, j), X((i) + 1, j), X(i, j))

NOINLINE void byStart(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: splits the loop at red-black.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + ((i + color) & 1); j < n - 1; j += 2)
      RELAX(i, j);
}

NOINLINE void byCondition(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: splits the loop at red-black.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j < n - 1; ++j)
      if ((i + j + color) % 2 == 0)
        RELAX(i, j);
}

// The remainder of a sum that may be negative may be negative too; a run-time test checks that none is.
NOINLINE void byRemainder(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: splits the loop at red-black.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + (i + color) % 2; j < n - 1; j += 2)
      RELAX(i, j);
}

NOINLINE void oddRows(int *x, int rows, int color) {
  const int n = columns + 1;
  exchange(x, rows, n);
  // CHECK-DAG: remark: splits the loop at red-black.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + ((i + color) & 1); j < n - 1; j += 2)
      RELAX(i, j);
}

// Rows begin alike: the row above is read where it has just been written.
NOINLINE void alike(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + (color & 1); j < n - 1; j += 2)
      RELAX(i, j);
}

// Each second row begins like the one before it.
NOINLINE void slow(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + (((i >> 1) + color) & 1); j < n - 1; j += 2)
      RELAX(i, j);
}

// Points of its own color.
NOINLINE void diagonal(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + ((i + color) & 1); j < n - 1; j += 2)
      X(i, j) = mix(X(i - 1, j - 1), X(i + 1, j + 1), X(i - 1, j), X(i + 1, j), X(i, j));
}

NOINLINE void ofOwnColor(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 1; i <= rows; ++i)
    for (int j = 2; j < n - 2; ++j)
      if ((i + j + color) % 2 == 0)
        X(i, j) = mix(X(i - 1, j - 1), X(i, j + 2), X(i - 1, j), X(i + 1, j), X(i, j));
}

// Steps of three: a row writes points that another one reads.
NOINLINE void byThree(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + ((i + color) & 1); j < n - 1; j += 3)
      X(i, j) = mix(X(i, j - 1), X(i, j + 1), X(i - 1, j - 1), X(i + 1, j + 1), X(i, j));
}

// Two rows further: an even distance is of the same parity.
NOINLINE void further(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 2; i <= rows; ++i)
    for (int j = 1 + ((i + color) & 1); j < n - 1; j += 2)
      X(i, j) = mix(X(i, j - 1), X(i, j + 1), X(i - 2, j), X(i + 1, j), X(i, j));
}

// The color additionally changes with each row, so that rows start alike.
NOINLINE void changing(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1 + ((i + color) & 1); j < n - 1; j += 2)
      RELAX(i, j);
    ++color;
  }
}

// A negative sum: its remainder is one below zero, and the row begins before its first point.
NOINLINE void below(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: splits the loop at red-black.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 2 + (i + color) % 2; j < n - 1; j += 2)
      X(i, j) = mix(X(i, j - 2 + 1), X(i, j + 1), X(i - 1, j), X(i + 1, j), X(i, j));
}

// The point before the first one, which rows of a negative sum write, and the next one reads.
NOINLINE void left(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: splits the loop at red-black.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 1 + (i + color) % 2; j < n - 1; j += 2)
      X(i, j) = mix(X(i, j - 1), X(i, j + 1), X(i - 1, j), X(i + 1, j), X(i - 1, 0));
}

// The point after the last one, likewise.
NOINLINE void right(int *x, int rows, int color) {
  const int n = columns + 1;
  exchange(x, rows, n);
  // CHECK-DAG: remark: splits the loop at red-black.c:[[#@LINE+1]]
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j < n - 2 - (i + color) % 2; ++j)
      X(i, j) = mix(X(i, j), i, j, color, X(i - 1, n - 2));
}

// The condition of another loop, and of one arm of a branch.
NOINLINE void otherwise(int *x, int rows, int color) {
  const int n = columns;
  exchange(x, rows, n);
  // CHECK-DAG: remark: the loop at red-black.c:[[#@LINE+1]] waits as a whole
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j < n - 1; ++j) {
      if ((i + j + color) % 2 == 0)
        RELAX(i, j);
      else
        X(i, j) += X(i - 1, j) % 3;
    }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  typedef void (*Sweep)(int *, int, int);
  Sweep sweeps[] = {byStart, byCondition, byRemainder, oddRows, alike, slow,  diagonal, ofOwnColor,
                    byThree, further,     changing,    below,   left,  right, otherwise};
  for (int k = 0; k < (int)(sizeof(sweeps) / sizeof(*sweeps)); ++k)
    for (int rows = 0; rows <= most; rows = rows * 2 + 1) {
      for (int p = 0; p < points; ++p)
        x[p] = (p * 7 + rank * 13) % 101;
      for (int color = 0; color < 6; ++color) {
        // Not negative, negative in all rows, and in some.
        int ofAnySign = color < 4 ? color - 40 * (color & 2) : 1 - color;
        int isSigned = sweeps[k] == below || sweeps[k] == byRemainder || sweeps[k] == left || sweeps[k] == right;
        sweeps[k](x, rows, isSigned ? ofAnySign : color);
      }
      long sum = 0;
      for (int p = 0; p < points; ++p)
        sum = (sum * 31 + x[p]) % 1000000007;
      say("sweep", k * 1000000000000 + rows * 10000000000 + sum);
    }
  MPI_Finalize();
  return 0;
}
