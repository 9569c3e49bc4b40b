// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's method in slabs of rows, as in tutorials: MPI_Send and MPI_Recv, each in a branch for a neighbor that may
// not exist. In a chain of processes each sends upwards and receives from below, then the other way around. With
// -DPARITY even processes send before they receive, and odd ones receive before they send, which avoids deadlocks.
//
//   branches [N] [ITERATIONS]     N x N points
#include "bench.h"

static void relax(double *restrict to, const double *restrict from, int first, int last, int columns) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j < columns - 1; ++j)
      to[i * columns + j] = 0.25 * (from[(i - 1) * columns + j] + from[(i + 1) * columns + j] +
                                    from[i * columns + j - 1] + from[i * columns + j + 1]);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = argument(argc, argv, 1, 1024), iterations = argument(argc, argv, 2, 50);
  const int rows = columns / size;
  double *u = allocate(sizeof(double) * (rows + 2) * columns), *v = allocate(sizeof(double) * (rows + 2) * columns);
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < columns; ++j)
      u[i * columns + j] = v[i * columns + j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
#ifdef BY_HAND
    MPI_Request requests[4];
    const int up = rank < size - 1 ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    MPI_Irecv(&u[0], columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&u[rows * columns], columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&u[1 * columns], columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    relax(v, u, 2, rows - 1, columns);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    relax(v, u, 1, 1, columns);
    if (rows > 1)
      relax(v, u, rows, rows, columns);
#else
    MPI_Status status;
#ifdef PARITY
    if (rank % 2 == 0) {
      if (rank < size - 1) {
        MPI_Send(&u[rows * columns], columns, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, &status);
      }
      if (rank > 0) {
        MPI_Send(&u[1 * columns], columns, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&u[0], columns, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, &status);
      }
    } else {
      if (rank > 0) {
        MPI_Recv(&u[0], columns, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&u[1 * columns], columns, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
      }
      if (rank < size - 1) {
        MPI_Recv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&u[rows * columns], columns, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
      }
    }
#else
    if (rank < size - 1)
      MPI_Send(&u[rows * columns], columns, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    if (rank > 0)
      MPI_Recv(&u[0], columns, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, &status);
    if (rank > 0)
      MPI_Send(&u[1 * columns], columns, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    if (rank < size - 1)
      MPI_Recv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &status);
#endif
    relax(v, u, 1, rows, columns);
#endif
    double *old = u;
    u = v;
    v = old;
  }
  finish(MPI_Wtime() - start, iterations, checksum(&u[columns], (size_t)rows * columns));
  free(u);
  free(v);
  MPI_Finalize();
  return 0;
}
