// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's method as in textbooks: one loop computes the new values and the largest change, another one copies them
// back, and sometimes all processes compare the changes. Ghost rows are rows 0 and rows + 1 of the array.
//
//   jacobi [N] [ITERATIONS]     N x N points
#include "bench.h"

#include <math.h>

#ifndef BY_HAND
static void exchange(double *u, int rows, int columns, int up, int down) {
  MPI_Sendrecv(&u[1 * columns], columns, MPI_DOUBLE, up, 0, &u[(rows + 1) * columns], columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[rows * columns], columns, MPI_DOUBLE, down, 1, &u[0], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
#endif

/// Returns the largest change in these rows, or `change` if that is larger.
static double relax(double *restrict to, const double *restrict u, int first, int last, int columns, double change) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      const double value = 0.25 * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j] + u[i * columns + j - 1] +
                                   u[i * columns + j + 1]);
      const double difference = fabs(value - u[i * columns + j]);
      if (difference > change)
        change = difference;
      to[i * columns + j] = value;
    }
  return change;
}

static void copy(double *restrict to, const double *restrict from, int first, int last, int columns) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j < columns - 1; ++j)
      to[i * columns + j] = from[i * columns + j];
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = argument(argc, argv, 1, 1024), iterations = argument(argc, argv, 2, 50);
  const int rows = columns / size;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  double *u = allocate(sizeof(double) * (rows + 2) * columns), *v = allocate(sizeof(double) * (rows + 2) * columns);
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < columns; ++j)
      u[i * columns + j] = v[i * columns + j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;

  double changes = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    double change = 0;
#ifdef BY_HAND
    MPI_Request requests[4];
    MPI_Irecv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[0], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&u[1 * columns], columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&u[rows * columns], columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    change = relax(v, u, 2, rows - 1, columns, change);
    copy(u, v, 3, rows - 2, columns);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    change = relax(v, u, 1, 1, columns, change);
    if (rows > 1)
      change = relax(v, u, rows, rows, columns, change);
    for (int i = 1; i <= rows; ++i)
      if (i < 3 || i > rows - 2)
        copy(u, v, i, i, columns);
#else
    exchange(u, rows, columns, up, down);
    change = relax(v, u, 1, rows, columns, change);
    copy(u, v, 1, rows, columns);
#endif
    if (t % 10 == 9) {
      double all;
      MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      changes += all;
    }
  }
  finish(MPI_Wtime() - start, iterations, checksum(&u[columns], (size_t)rows * columns) + checksum(&changes, 1));
  free(u);
  free(v);
  MPI_Finalize();
  return 0;
}
