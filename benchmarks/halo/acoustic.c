// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sound in a medium that absorbs it at the edges: pressure and velocity on staggered grids, in slabs of rows. There are
// two exchanges per step, of which the second sends what has been computed since the first.
//
//   acoustic [N] [ITERATIONS]     N x N points
#include "bench.h"

static void update_velocity(double *vx, double *vy, const double *p, const double *damp, int first, int last, int n) {
  for (int i = first; i <= last; ++i)
    for (int j = 0; j < n - 1; ++j) {
      const int k = i * n + j;
      vx[k] = damp[k] * (vx[k] - 0.4 * (p[k + 1] - p[k]));
      vy[k] = damp[k] * (vy[k] - 0.4 * (p[k + n] - p[k]));
    }
}

static void update_pressure(double *p, const double *vx, const double *vy, const double *damp, int first, int last,
                            int n) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j < n; ++j) {
      const int k = i * n + j;
      p[k] = damp[k] * (p[k] - 0.4 * (vx[k] - vx[k - 1] + vy[k] - vy[k - n]));
    }
}

static void step(double *p, double *vx, double *vy, const double *damp, int rows, int n, int up, int down) {
#ifdef BY_HAND
  MPI_Request requests[4];
  MPI_Irecv(&p[(rows + 1) * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&vy[0], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&p[n], n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
  update_velocity(vx, vy, p, damp, 1, rows - 1, n);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  update_velocity(vx, vy, p, damp, rows, rows, n);
  MPI_Isend(&vy[rows * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  update_pressure(p, vx, vy, damp, 2, rows, n);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  update_pressure(p, vx, vy, damp, 1, 1, n);
  MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
#else
  MPI_Sendrecv(&p[n], n, MPI_DOUBLE, up, 0, &p[(rows + 1) * n], n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  update_velocity(vx, vy, p, damp, 1, rows, n);
  MPI_Sendrecv(&vy[rows * n], n, MPI_DOUBLE, down, 1, &vy[0], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  update_pressure(p, vx, vy, damp, 1, rows, n);
#endif
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argument(argc, argv, 1, 1024), iterations = argument(argc, argv, 2, 50);
  const int rows = n / size;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  const size_t points = (size_t)(rows + 2) * n;
  double *p = allocate(sizeof(double) * points), *vx = allocate(sizeof(double) * points);
  double *vy = allocate(sizeof(double) * points), *damp = allocate(sizeof(double) * points);
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < n; ++j) {
      const int edge = j < n - 1 - j ? j : n - 1 - j;
      p[i * n + j] = ((rank * rows + i) * 13 + j * 5) % 17 / 16.0;
      damp[i * n + j] = edge < 16 ? 1 - (16 - edge) / 256.0 : 1;
    }

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t)
    step(p, vx, vy, damp, rows, n, up, down);
  finish(MPI_Wtime() - start, iterations, checksum(&p[n], (size_t)rows * n));
  free(p);
  free(vx);
  free(vy);
  free(damp);
  MPI_Finalize();
  return 0;
}
