// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another form of the heat equation, as in programs of one file: sizes, neighbors and arrays are variables at file
// scope, and functions have no arguments.
//
//   plate [N] [ITERATIONS]     N x N points
#include "bench.h"

int rows, columns, up, down;
double *u, *v;

#ifndef BY_HAND
static void exchange(void) {
  MPI_Sendrecv(&u[columns + 2], columns + 2, MPI_DOUBLE, up, 0, &u[(rows + 1) * (columns + 2)], columns + 2, MPI_DOUBLE,
               down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[rows * (columns + 2)], columns + 2, MPI_DOUBLE, down, 1, &u[0], columns + 2, MPI_DOUBLE, up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#endif

static void relax(int first, int last) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j <= columns; ++j)
      v[i * (columns + 2) + j] = 0.25 * (u[(i - 1) * (columns + 2) + j] + u[(i + 1) * (columns + 2) + j] +
                                         u[i * (columns + 2) + j - 1] + u[i * (columns + 2) + j + 1]);
}

static void step(void) {
#ifdef BY_HAND
  const int width = columns + 2;
  MPI_Request requests[4];
  MPI_Irecv(&u[(rows + 1) * width], width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&u[0], width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&u[width], width, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&u[rows * width], width, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
  relax(2, rows - 1);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  relax(1, 1);
  if (rows > 1)
    relax(rows, rows);
#else
  exchange();
  relax(1, rows);
#endif
  double *old = u;
  u = v;
  v = old;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  columns = argument(argc, argv, 1, 1022);
  rows = (columns + 2) / size;
  const int iterations = argument(argc, argv, 2, 50);
  up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  const size_t points = (size_t)(rows + 2) * (columns + 2);
  u = allocate(sizeof(double) * points);
  v = allocate(sizeof(double) * points);
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < columns + 2; ++j)
      u[i * (columns + 2) + j] = v[i * (columns + 2) + j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t)
    step();
  finish(MPI_Wtime() - start, iterations, checksum(&u[columns + 2], (size_t)rows * (columns + 2)));
  free(u);
  free(v);
  MPI_Finalize();
  return 0;
}
