// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finite volumes: the Euler equations in two dimensions, with a function for the flux between two cells (Harten, Lax
// and van Leer). Cells have four values, and two MPI_Sendrecv exchange the rows at the border.
//
//   volumes [N] [ITERATIONS]     N x N cells in each process
#include "bench.h"

#include <math.h>

enum { values = 4 };

#ifdef BY_HAND
#define FLUX static inline __attribute__((always_inline))
#else
#define FLUX static
#endif

FLUX void find_flux(const double *l, const double *r, int direction, double *flux) {
  const double gamma = 1.4;
  double ul = l[1 + direction] / l[0], ur = r[1 + direction] / r[0];
  double pl = (gamma - 1) * (l[3] - 0.5 * (l[1] * l[1] + l[2] * l[2]) / l[0]);
  double pr = (gamma - 1) * (r[3] - 0.5 * (r[1] * r[1] + r[2] * r[2]) / r[0]);
  double cl = sqrt(gamma * pl / l[0]), cr = sqrt(gamma * pr / r[0]);
  double slowest = fmin(ul - cl, ur - cr), fastest = fmax(ul + cl, ur + cr);
  double from_left[values], from_right[values];
  for (int k = 0; k < values; ++k) {
    from_left[k] = l[k] * ul;
    from_right[k] = r[k] * ur;
  }
  from_left[1 + direction] += pl;
  from_right[1 + direction] += pr;
  from_left[3] += pl * ul;
  from_right[3] += pr * ur;
  if (slowest >= 0)
    for (int k = 0; k < values; ++k)
      flux[k] = from_left[k];
  else if (fastest <= 0)
    for (int k = 0; k < values; ++k)
      flux[k] = from_right[k];
  else
    for (int k = 0; k < values; ++k)
      flux[k] =
          (fastest * from_left[k] - slowest * from_right[k] + slowest * fastest * (r[k] - l[k])) / (fastest - slowest);
}

/// Advances rows [first, last].
static void advance(double *restrict to, const double *restrict from, int n, int first, int last, double step) {
  for (int i = first; i <= last; ++i)
    for (int j = 1; j <= n; ++j) {
      const double *cell = from + (i * (n + 2) + j) * values;
      double west[values], east[values], north[values], south[values];
      find_flux(cell - values, cell, 0, west);
      find_flux(cell, cell + values, 0, east);
      find_flux(cell - (n + 2) * values, cell, 1, north);
      find_flux(cell, cell + (n + 2) * values, 1, south);
      for (int k = 0; k < values; ++k)
        to[(i * (n + 2) + j) * values + k] = cell[k] - step * (east[k] - west[k] + south[k] - north[k]);
    }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int n = argument(argc, argv, 1, 96), iterations = argument(argc, argv, 2, 100);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;
  const int row = (n + 2) * values;
  double *u = allocate(sizeof(double) * (n + 2) * row), *v = allocate(sizeof(double) * (n + 2) * row);
  for (int i = 0; i < n + 2; ++i)
    for (int j = 0; j < n + 2; ++j) {
      double *cell = u + i * row + j * values;
      cell[0] = 1 + ((i * 7 + j * 3 + rank) % 5) / 16.0;
      cell[1] = (i % 3) / 64.0;
      cell[2] = (j % 4) / 64.0;
      cell[3] = 2.5;
    }
  for (int i = 0; i < (n + 2) * row; ++i)
    v[i] = u[i];
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
#ifdef BY_HAND
    MPI_Request requests[4];
    MPI_Irecv(u, row, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(u + (n + 1) * row, row, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(u + row, row, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(u + n * row, row, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    advance(v, u, n, 2, n - 1, 0.05);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    advance(v, u, n, 1, 1, 0.05);
    advance(v, u, n, n, n, 0.05);
#else
    MPI_Sendrecv(u + row, row, MPI_DOUBLE, up, 0, u + (n + 1) * row, row, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(u + n * row, row, MPI_DOUBLE, down, 1, u, row, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    advance(v, u, n, 1, n, 0.05);
#endif
    double *old = u;
    u = v;
    v = old;
  }
  double seconds = MPI_Wtime() - start;
  uint64_t sum = 0;
  for (int i = 1; i <= n; ++i)
    sum += checksum(u + i * row + values, n * values);
  finish(seconds, iterations, sum);
  free(u);
  free(v);
  MPI_Finalize();
  return 0;
}
