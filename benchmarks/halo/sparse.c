// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeated products of a sparse matrix with a vector (sparse.h).
//
//   sparse [N] [ITERATIONS]     N x N x N rows in each process
#include "sparse.h"

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argument(argc, argv, 1, 40), iterations = argument(argc, argv, 2, 30);
  Matrix a = make_matrix(n, rank, size);
  double *x = allocate(sizeof(double) * (a.rows + a.ghosts)), *y = allocate(sizeof(double) * (a.rows + a.ghosts));
  for (int i = 0; i < a.rows; ++i)
    x[i] = (rank * a.rows + i) * 13 % 17 / 16.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    multiply(&a, x, y);
    for (int i = 0; i < a.rows; ++i)
      x[i] = 0.02 * y[i];
  }
  finish(MPI_Wtime() - start, iterations, checksum(x, a.rows));
  free(x);
  free(y);
  free_matrix(&a);
  MPI_Finalize();
  return 0;
}
