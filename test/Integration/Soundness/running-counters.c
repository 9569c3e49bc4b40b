// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters that continue through loops of a nest (`from[n++]`): as many bytes are read as the counter counts. The
// unpacked data is in the array that the sweep overwrites next: iterations that run too early overwrite it. Rectangles,
// triangles, skipped rows, and empty rows.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { most = 40, cells = most * most * 4 };
static double *u, *v, *face;

#define EXCHANGE                                                                                                       \
  MPI_Request r[2];                                                                                                    \
  MPI_Irecv(face, count, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[0]);                              \
  MPI_Isend(u, count, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);                                        \
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);                                                                              \
  int n = 0;

#define SWEEP                                                                                                          \
  for (int i = 0; i < width; ++i)                                                                                      \
    v[i] = u[i] * 0.5 + i;

/// 3 levels, the middle one of which may have one iteration, and the inner one none.
static NOINLINE void box(double *v, const double *u, double *face, const double *from, int count, int x, int y, int z,
                         int width) {
  EXCHANGE
  for (int k = 0; k < z; ++k)
    for (int j = 0; j < y; ++j)
      for (int i = 0; i < x; ++i)
        face[(k * y + j) * x + i + count] = from[n++];
  // CHECK: remark: splits the loop at running-counters.c:[[#@LINE+1]]
  SWEEP
}

/// A row is longer than the one before it.
static NOINLINE void triangle(double *v, const double *u, double *face, const double *from, int count, int rows,
                              int width) {
  EXCHANGE
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < k; ++j)
      face[k * rows + j + count] = from[n++];
  SWEEP
}

/// The program skips some rows.
static NOINLINE void some(double *v, const double *u, double *face, const double *from, const char *has, int count,
                          int rows, int columns, int width) {
  EXCHANGE
  for (int k = 0; k < rows; ++k)
    if (has[k])
      for (int j = 0; j < columns; ++j)
        face[k * columns + j + count] = from[n++];
  SWEEP
}

/// Each row starts one further on, and empty rows count as well.
static NOINLINE void gaps(double *v, const double *u, double *face, const double *from, int count, int rows,
                          int columns, int gap, int width) {
  EXCHANGE
  n = 3;
  for (int k = 0; k < rows; ++k) {
    for (int j = 0; j < columns; ++j)
      face[k * columns + j + count] = from[n++];
    n += gap;
  }
  SWEEP
}

/// Downwards.
static NOINLINE void back(double *v, const double *u, double *face, const double *from, int count, int rows,
                          int columns, int width) {
  EXCHANGE
  n = rows * columns;
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < columns; ++j)
      face[k * columns + j + count] = from[--n];
  SWEEP
}

/// Two ghosts in each row: LLVM unrolls the inner loop, widens the counter, and narrows it again in each iteration.
static NOINLINE void pairs(double *v, const double *u, double *face, const double *from, int count, int rows,
                           int columns, int width) {
  EXCHANGE
  for (int k = 0; k < rows; ++k)
    for (int g = 0; g < 2; ++g)
      face[k * columns + g + count] = from[n++];
  // CHECK: remark: splits the loop at running-counters.c:[[#@LINE+1]]
  SWEEP
}

/// The same in some rows only.
static NOINLINE void somePairs(double *v, const double *u, double *face, const double *from, const char *has, int count,
                               int rows, int columns, int width) {
  EXCHANGE
  for (int k = 0; k < rows; ++k)
    if (has[k])
      for (int g = 0; g < 2; ++g)
        face[k * columns + g + count] = from[n++];
  SWEEP
}

static void tell(const char *what, int count) {
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    sum += v[i] * (i % 13) + face[i] * (i % 17);
    v[i] = i % 19 + rank, face[i] = i % 23;
  }
  say(what, (long)(sum * 4) + count);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  u = malloc(cells * sizeof(double)), v = malloc(cells * sizeof(double)), face = malloc(cells * sizeof(double));
  for (int i = 0; i < cells; ++i)
    u[i] = (i * 7 + rank) % 11, v[i] = i % 19 + rank, face[i] = i % 23;
  char has[most] = {1, 0, 1, 1, 0, 0, 1};
  int sizes[][3] = {{5, 6, 7}, {0, 6, 7}, {5, 1, 7}, {5, 6, 1}, {1, 1, 9}, {3, 0, 4}, {12, 11, 10}};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int far = 0; far < 2; ++far) {
      int x = sizes[s][0], y = sizes[s][1], z = sizes[s][2], count = 60, width = 1500;
      if (rank == 0)
        nap(5);
      const double *from = v + (far ? width : 40);
      box(v, u, face, from, count, x, y, z, width);
      tell("box", count);
      triangle(v, u, face, from, count, z, width);
      tell("triangle", count);
      some(v, u, face, from, has, count, z, x, width);
      tell("some", count);
      gaps(v, u, face, from, count, z, x, y, width);
      tell("gaps", count);
      back(v, u, face, from, count, z, x, width);
      tell("back", count);
      pairs(v, u, face, from, count, z, x, width);
      tell("pairs", count);
      somePairs(v, u, face, from, has, count, z, x, width);
      tell("some pairs", count);
    }
  MPI_Finalize();
  return 0;
}
