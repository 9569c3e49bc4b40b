// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All pairs of bodies: blocks of positions travel around a ring with MPI_Sendrecv_replace, and each process adds the
// forces of its current block.
//
//   ring [BODIES] [ITERATIONS]     bodies in each process
#include "bench.h"

#include <math.h>

static void add_forces(double *restrict force, const double *restrict own, const double *restrict other, int n) {
  for (int i = 0; i < n; ++i) {
    double x = 0, y = 0, z = 0;
    for (int j = 0; j < n; ++j) {
      const double dx = other[4 * j] - own[4 * i], dy = other[4 * j + 1] - own[4 * i + 1],
                   dz = other[4 * j + 2] - own[4 * i + 2];
      const double r2 = dx * dx + dy * dy + dz * dz + 1e-3, w = other[4 * j + 3] / (r2 * sqrt(r2));
      x += w * dx;
      y += w * dy;
      z += w * dz;
    }
    force[3 * i] += x;
    force[3 * i + 1] += y;
    force[3 * i + 2] += z;
  }
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argument(argc, argv, 1, 1200), iterations = argument(argc, argv, 2, 10);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  double *own = allocate(sizeof(double) * 4 * n), *block = allocate(sizeof(double) * 4 * n);
  double *force = allocate(sizeof(double) * 3 * n);
  for (int i = 0; i < 4 * n; ++i)
    own[i] = ((rank * n + i) * 29 % 97 + 1) / 97.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
#ifdef BY_HAND
  double *spare = allocate(sizeof(double) * 4 * n);
#endif
  for (int t = 0; t < iterations; ++t) {
    memset(force, 0, sizeof(double) * 3 * n);
    memcpy(block, own, sizeof(double) * 4 * n);
    for (int step = 0; step < size; ++step) {
#ifdef BY_HAND
      MPI_Request requests[2];
      MPI_Irecv(spare, 4 * n, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(block, 4 * n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
      add_forces(force, own, block, n);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      double *old = block;
      block = spare;
      spare = old;
#else
      add_forces(force, own, block, n);
      MPI_Sendrecv_replace(block, 4 * n, MPI_DOUBLE, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    }
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < 3; ++d)
        own[4 * i + d] += 1e-6 * force[3 * i + d];
  }
  finish(MPI_Wtime() - start, iterations, checksum(own, 4 * (size_t)n));
#ifdef BY_HAND
  free(spare);
#endif
  free(own);
  free(block);
  free(force);
  MPI_Finalize();
  return 0;
}
