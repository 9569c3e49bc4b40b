// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cannon's algorithm for a product of two matrices, in a ring of processes: each multiplies its blocks and passes both
// on with MPI_Sendrecv_replace.
//
//   cannon [N] [ITERATIONS]     N x N elements in each block
#include "bench.h"

static void multiply(double *restrict c, const double *restrict a, const double *restrict b, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argument(argc, argv, 1, 192), iterations = argument(argc, argv, 2, 20);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const size_t bytes = sizeof(double) * n * n;
  double *a = allocate(bytes), *b = allocate(bytes), *c = allocate(bytes);
  for (int i = 0; i < n * n; ++i) {
    a[i] = ((rank * n + i) * 29 % 97 - 48) / 97.0;
    b[i] = ((rank * n + i) * 13 % 89 - 44) / 89.0;
  }

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
#ifdef BY_HAND
  double *nextA = allocate(bytes), *nextB = allocate(bytes);
#endif
  for (int t = 0; t < iterations; ++t) {
#ifdef BY_HAND
    MPI_Request requests[4];
    MPI_Irecv(nextA, n * n, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(nextB, n * n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a, n * n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(b, n * n, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, &requests[3]);
    multiply(c, a, b, n);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    double *oldA = a, *oldB = b;
    a = nextA, b = nextB;
    nextA = oldA, nextB = oldB;
#else
    multiply(c, a, b, n);
    MPI_Sendrecv_replace(a, n * n, MPI_DOUBLE, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(b, n * n, MPI_DOUBLE, previous, 1, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  }
  finish(MPI_Wtime() - start, iterations, checksum(c, (size_t)n * n));
#ifdef BY_HAND
  free(nextA);
  free(nextB);
#endif
  free(a);
  free(b);
  free(c);
  MPI_Finalize();
  return 0;
}
