// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wave equation on a membrane in slabs of rows, with three rotating time levels. The exchange comes last in each
// step: it sends values that were just computed, and the next step needs the received ones.
//
//   wave [N] [ITERATIONS]     N x N points
#include "bench.h"

static void advance(double *restrict next, const double *restrict now, const double *restrict before, int first,
                    int last, int columns) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      const int k = i * columns + j;
      next[k] = 1.5 * now[k] - before[k] + 0.125 * (now[k - columns] + now[k + columns] + now[k - 1] + now[k + 1]);
    }
}

static void start_exchange(double *u, int rows, int columns, int up, int down, MPI_Request requests[4]) {
  MPI_Irecv(&u[0], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&u[1 * columns], columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&u[rows * columns], columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = argument(argc, argv, 1, 1024), iterations = argument(argc, argv, 2, 50);
  const int rows = columns / size;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  const size_t bytes = sizeof(double) * (rows + 2) * columns;
  double *before = allocate(bytes), *now = allocate(bytes), *next = allocate(bytes);
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < columns; ++j)
      now[i * columns + j] = before[i * columns + j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    MPI_Request requests[4];
#ifdef BY_HAND
    advance(next, now, before, 1, 1, columns);
    if (rows > 1)
      advance(next, now, before, rows, rows, columns);
    start_exchange(next, rows, columns, up, down, requests);
    advance(next, now, before, 2, rows - 1, columns);
#else
    advance(next, now, before, 1, rows, columns);
    start_exchange(next, rows, columns, up, down, requests);
#endif
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    double *old = before;
    before = now;
    now = next;
    next = old;
  }
  finish(MPI_Wtime() - start, iterations, checksum(&now[columns], (size_t)rows * columns));
  free(before);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
