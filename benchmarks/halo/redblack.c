// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Successive over-relaxation in place, first red and then black points, in slabs of rows. Ghost rows are exchanged
// before each color.
//
//   redblack [N] [ITERATIONS]     N x N points
#include "bench.h"

static void relax(double *u, int first, int last, int columns, int color) {
  for (int i = first; i <= last; ++i)
    for (int j = 1 + (i + color) % 2; j < columns - 1; j += 2)
      u[i * columns + j] += 0.4 * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j] + u[i * columns + j - 1] +
                                   u[i * columns + j + 1] - 4 * u[i * columns + j]);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = argument(argc, argv, 1, 1024), iterations = argument(argc, argv, 2, 50);
  const int rows = columns / size;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  double *u = allocate(sizeof(double) * (rows + 2) * columns);
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < columns; ++j)
      u[i * columns + j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t)
    for (int color = 0; color < 2; ++color) {
#ifdef BY_HAND
      MPI_Request requests[4];
      MPI_Irecv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&u[0], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(&u[1 * columns], columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(&u[rows * columns], columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
      relax(u, 2, rows - 1, columns, color);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      relax(u, 1, 1, columns, color);
      if (rows > 1)
        relax(u, rows, rows, columns, color);
#else
      MPI_Sendrecv(&u[1 * columns], columns, MPI_DOUBLE, up, 0, &u[(rows + 1) * columns], columns, MPI_DOUBLE, down, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(&u[rows * columns], columns, MPI_DOUBLE, down, 1, &u[0], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      relax(u, 1, rows, columns, color);
#endif
    }
  finish(MPI_Wtime() - start, iterations, checksum(&u[columns], (size_t)rows * columns));
  free(u);
  MPI_Finalize();
  return 0;
}
