// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A nine-point stencil on blocks with eight neighbors. Tables contain the neighbors and identify their messages: rows,
// columns and corners, all packed.
//
//   tables [N] [ITERATIONS]     N x N points in all processes
#include "bench.h"

static const int dx[8] = {-1, -1, -1, 0, 0, 1, 1, 1}, dy[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
static int nx, ny, neighbors[8];
static double *u, *v, *out[8], *in[8];
static MPI_Comm grid;
static MPI_Request requests[16];
#define U(i, j) u[(i) * (ny + 2) + (j)]

static void start(void) {
  for (int k = 0; k < 8; ++k) {
    int n = dx[k] == 0 ? nx : dy[k] == 0 ? ny : 1;
    MPI_Irecv(in[k], n, MPI_DOUBLE, neighbors[k], 7 - k, grid, &requests[k]);
  }
  for (int k = 0; k < 8; ++k) {
    int n = 0;
    if (dx[k] == 0) {
      int j = dy[k] < 0 ? 1 : ny;
      for (int i = 1; i <= nx; ++i)
        out[k][n++] = U(i, j);
    } else if (dy[k] == 0) {
      memcpy(out[k], &U(dx[k] < 0 ? 1 : nx, 1), ny * sizeof(double));
      n = ny;
    } else {
      out[k][n++] = U(dx[k] < 0 ? 1 : nx, dy[k] < 0 ? 1 : ny);
    }
    MPI_Isend(out[k], n, MPI_DOUBLE, neighbors[k], k, grid, &requests[8 + k]);
  }
}

static void unpack(void) {
  for (int k = 0; k < 8; ++k) {
    if (neighbors[k] == MPI_PROC_NULL)
      continue;
    if (dx[k] == 0) {
      int j = dy[k] < 0 ? 0 : ny + 1;
      for (int i = 1; i <= nx; ++i)
        U(i, j) = in[k][i - 1];
    } else if (dy[k] == 0) {
      memcpy(&U(dx[k] < 0 ? 0 : nx + 1, 1), in[k], ny * sizeof(double));
    } else {
      U(dx[k] < 0 ? 0 : nx + 1, dy[k] < 0 ? 0 : ny + 1) = in[k][0];
    }
  }
}

static void sweep(int i0, int i1, int j0, int j1) {
  for (int i = i0; i <= i1; ++i)
    for (int j = j0; j <= j1; ++j) {
      double s = 0;
      for (int a = -1; a <= 1; ++a)
        for (int b = -1; b <= 1; ++b)
          s += U(i + a, j + b) * (a == 0 && b == 0 ? 0.2 : 0.1);
      v[i * (ny + 2) + j] = s;
    }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int n = argument(argc, argv, 1, 1200), iterations = argument(argc, argv, 2, 30);
  int size, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, at[2];
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  nx = n / dims[0], ny = n / dims[1];
  for (int k = 0; k < 8; ++k) {
    int other[2] = {at[0] + dx[k], at[1] + dy[k]};
    neighbors[k] = MPI_PROC_NULL;
    if (other[0] >= 0 && other[1] >= 0 && other[0] < dims[0] && other[1] < dims[1])
      MPI_Cart_rank(grid, other, &neighbors[k]);
    out[k] = allocate(sizeof(double) * (nx + ny));
    in[k] = allocate(sizeof(double) * (nx + ny));
  }
  size_t points = (size_t)(nx + 2) * (ny + 2);
  u = allocate(sizeof(double) * points);
  v = allocate(sizeof(double) * points);
  for (int i = 1; i <= nx; ++i)
    for (int j = 1; j <= ny; ++j)
      U(i, j) = (i * 13 + j * 5 + rank * 7) % 17 / 16.0;

  MPI_Barrier(grid);
  double begin = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    start();
#ifdef BY_HAND
    sweep(2, nx - 1, 2, ny - 1);
    MPI_Waitall(16, requests, MPI_STATUSES_IGNORE);
    unpack();
    sweep(1, 1, 1, ny);
    sweep(nx, nx, 1, ny);
    sweep(2, nx - 1, 1, 1);
    sweep(2, nx - 1, ny, ny);
#else
    MPI_Waitall(16, requests, MPI_STATUSES_IGNORE);
    unpack();
    sweep(1, nx, 1, ny);
#endif
    double *swap = u;
    u = v, v = swap;
  }
  double seconds = MPI_Wtime() - begin;
  uint64_t sum = 0;
  for (int i = 1; i <= nx; ++i)
    sum += checksum(&U(i, 1), ny);
  finish(seconds, iterations, sum);
  MPI_Finalize();
  return 0;
}
