// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first program that most people write: everything at file scope, rows as pointers, blocking messages in branches
// at the end of each iteration, and the change of the field, which all processes compare each time. Ghost rows are rows
// 0 and rows + 1 of the array.
//
//   converging [N] [ITERATIONS]     N x N points
#include "bench.h"

#include <math.h>

static int rank, size, rows, columns;
static double **u, **v;

static double **makeRows(void) {
  double **row = allocate(sizeof(double *) * (rows + 2));
  double *field = allocate(sizeof(double) * (rows + 2) * columns);
  for (int i = 0; i < rows + 2; ++i)
    row[i] = field + (size_t)i * columns;
  return row;
}

#ifdef BY_HAND
static double relax(int first, int last, double change) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
      change = fmax(change, fabs(v[i][j] - u[i][j]));
    }
  return change;
}

static MPI_Request requests[4];
static int n;

/// The messages are in flight during the reduction as well.
static double step(void) {
  n = 0;
  double change = relax(1, 1, 0);
  if (rows > 1)
    change = relax(rows, rows, change);
  if (rank > 0) {
    MPI_Irecv(v[0], columns, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, &requests[n++]);
    MPI_Isend(v[1], columns, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &requests[n++]);
  }
  if (rank < size - 1) {
    MPI_Irecv(v[rows + 1], columns, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &requests[n++]);
    MPI_Isend(v[rows], columns, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, &requests[n++]);
  }
  return relax(2, rows - 1, change);
}
#else
static double step(void) {
  double change = 0;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
      change = fmax(change, fabs(v[i][j] - u[i][j]));
    }
  if (rank > 0) {
    MPI_Send(v[1], columns, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    MPI_Recv(v[0], columns, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank < size - 1) {
    MPI_Recv(v[rows + 1], columns, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(v[rows], columns, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  }
  return change;
}
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  columns = argument(argc, argv, 1, 1024);
  rows = columns / size;
  const int iterations = argument(argc, argv, 2, 50);
  u = makeRows(), v = makeRows();
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < columns; ++j)
      u[i][j] = v[i][j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;

  double all = 1, changes = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations && all > 1e-12; ++t) {
    double change = step();
    double **old = u;
    u = v, v = old;
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#ifdef BY_HAND
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
#endif
    changes += all;
  }
  finish(MPI_Wtime() - start, iterations, checksum(u[1], (size_t)rows * columns) + checksum(&changes, 1));
  MPI_Finalize();
  return 0;
}
