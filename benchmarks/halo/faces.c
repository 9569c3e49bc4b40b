// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seven-point stencil on a cube in blocks. Six faces are packed, exchanged, and unpacked into the halo.
//
//   faces [N] [ITERATIONS]     N x N x N points in each process
#include "bench.h"

static int n, s; // points a side, without and with the halo
static int neighbors[6];
static double *out[6], *in[6];

static size_t at(int i, int j, int k) { return ((size_t)i * s + j) * s + k; }

/// Copies a face of the block into a buffer.
static void pack(const double *u, int face) {
  const int fixed = face % 2 ? n : 1;
  double *p = out[face];
  for (int a = 1; a <= n; ++a)
    for (int b = 1; b <= n; ++b)
      *p++ = face < 2 ? u[at(fixed, a, b)] : face < 4 ? u[at(a, fixed, b)] : u[at(a, b, fixed)];
}

/// Copies received data into the halo.
static void unpack(double *u, int face) {
  const int fixed = face % 2 ? n + 1 : 0;
  const double *p = in[face];
  for (int a = 1; a <= n; ++a)
    for (int b = 1; b <= n; ++b) {
      const size_t to = face < 2 ? at(fixed, a, b) : face < 4 ? at(a, fixed, b) : at(a, b, fixed);
      u[to] = *p++;
    }
}

static void relax(double *restrict to, const double *restrict u, int i0, int i1, int j0, int j1, int k0, int k1) {
  for (int i = i0; i <= i1; ++i)
    for (int j = j0; j <= j1; ++j)
      for (int k = k0; k <= k1; ++k)
        to[at(i, j, k)] = 0.1 * (u[at(i - 1, j, k)] + u[at(i + 1, j, k)] + u[at(i, j - 1, k)] + u[at(i, j + 1, k)] +
                                 u[at(i, j, k - 1)] + u[at(i, j, k + 1)]) +
                          0.4 * u[at(i, j, k)];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  n = argument(argc, argv, 1, 64);
  s = n + 2;
  const int iterations = argument(argc, argv, 2, 30);
  int size, rank, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1};
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  for (int d = 0; d < 3; ++d)
    MPI_Cart_shift(grid, d, 1, &neighbors[2 * d], &neighbors[2 * d + 1]);
  for (int f = 0; f < 6; ++f) {
    out[f] = allocate(sizeof(double) * n * n);
    in[f] = allocate(sizeof(double) * n * n);
  }
  double *u = allocate(sizeof(double) * s * s * s), *v = allocate(sizeof(double) * s * s * s);
  for (size_t i = 0; i < (size_t)s * s * s; ++i)
    u[i] = (i * 13 + rank * 7) % 17 / 16.0;

  MPI_Request requests[12];
  MPI_Barrier(grid);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    for (int f = 0; f < 6; ++f)
      MPI_Irecv(in[f], n * n, MPI_DOUBLE, neighbors[f], f ^ 1, grid, &requests[f]);
    for (int f = 0; f < 6; ++f) {
      pack(u, f);
      MPI_Isend(out[f], n * n, MPI_DOUBLE, neighbors[f], f, grid, &requests[6 + f]);
    }
#ifdef BY_HAND
    relax(v, u, 2, n - 1, 2, n - 1, 2, n - 1);
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    for (int f = 0; f < 6; ++f)
      unpack(u, f);
    relax(v, u, 1, 1, 1, n, 1, n);
    relax(v, u, n, n, 1, n, 1, n);
    relax(v, u, 2, n - 1, 1, 1, 1, n);
    relax(v, u, 2, n - 1, n, n, 1, n);
    relax(v, u, 2, n - 1, 2, n - 1, 1, 1);
    relax(v, u, 2, n - 1, 2, n - 1, n, n);
#else
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    for (int f = 0; f < 6; ++f)
      unpack(u, f);
    relax(v, u, 1, n, 1, n, 1, n);
#endif
    double *old = u;
    u = v;
    v = old;
  }
  double seconds = MPI_Wtime() - start;
  uint64_t sum = 0;
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j)
      sum += checksum(&u[at(i, j, 1)], n);
  finish(seconds, iterations, sum);
  free(u);
  free(v);
  for (int f = 0; f < 6; ++f) {
    free(out[f]);
    free(in[f]);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
