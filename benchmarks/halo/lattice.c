// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lattice Boltzmann code, D2Q9, in slabs of rows. A loop over directions exchanges those that cross a border.
//
//   lattice [N] [ITERATIONS]     N x N points
#include "bench.h"

enum { directions = 9 };
static const int to_column[directions] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int to_row[directions] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weight[directions] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                          1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

static size_t at(int k, int i, int rows, int n) { return ((size_t)k * (rows + 2) + i) * n; }

static void collide(const double *f, double *g, double omega, int first, int last, int rows, int n) {
  for (int i = first; i <= last; ++i)
    for (int j = 0; j < n; ++j) {
      double in[directions], rho = 0, ux = 0, uy = 0;
      for (int k = 0; k < directions; ++k) {
        in[k] = f[at(k, i - to_row[k], rows, n) + (j - to_column[k] + n) % n];
        rho += in[k];
        ux += to_column[k] * in[k];
        uy += to_row[k] * in[k];
      }
      ux /= rho;
      uy /= rho;
      for (int k = 0; k < directions; ++k) {
        const double cu = to_column[k] * ux + to_row[k] * uy;
        const double equal = weight[k] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
        g[at(k, i, rows, n) + j] = in[k] + omega * (equal - in[k]);
      }
    }
}

static void step(double *f, double *g, double omega, int rows, int n, int up, int down) {
#ifdef BY_HAND
  MPI_Request requests[2 * directions];
  int number = 0;
  for (int k = 0; k < directions; ++k) {
    if (to_row[k] > 0) {
      MPI_Irecv(&f[at(k, 0, rows, n)], n, MPI_DOUBLE, up, k, MPI_COMM_WORLD, &requests[number++]);
      MPI_Isend(&f[at(k, rows, rows, n)], n, MPI_DOUBLE, down, k, MPI_COMM_WORLD, &requests[number++]);
    } else if (to_row[k] < 0) {
      MPI_Irecv(&f[at(k, rows + 1, rows, n)], n, MPI_DOUBLE, down, k, MPI_COMM_WORLD, &requests[number++]);
      MPI_Isend(&f[at(k, 1, rows, n)], n, MPI_DOUBLE, up, k, MPI_COMM_WORLD, &requests[number++]);
    }
  }
  collide(f, g, omega, 2, rows - 1, rows, n);
  MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
  collide(f, g, omega, 1, 1, rows, n);
  collide(f, g, omega, rows, rows, rows, n);
#else
  for (int k = 0; k < directions; ++k) {
    if (to_row[k] > 0)
      MPI_Sendrecv(&f[at(k, rows, rows, n)], n, MPI_DOUBLE, down, k, &f[at(k, 0, rows, n)], n, MPI_DOUBLE, up, k,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (to_row[k] < 0)
      MPI_Sendrecv(&f[at(k, 1, rows, n)], n, MPI_DOUBLE, up, k, &f[at(k, rows + 1, rows, n)], n, MPI_DOUBLE, down, k,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  collide(f, g, omega, 1, rows, rows, n);
#endif
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argument(argc, argv, 1, 250), iterations = argument(argc, argv, 2, 50);
  const int rows = n / size, up = (rank + size - 1) % size, down = (rank + 1) % size;
  const size_t points = (size_t)directions * (rows + 2) * n;
  double *f = allocate(sizeof(double) * points), *g = allocate(sizeof(double) * points);
  for (int k = 0; k < directions; ++k)
    for (int i = 0; i < rows + 2; ++i)
      for (int j = 0; j < n; ++j)
        f[at(k, i, rows, n) + j] = weight[k] * (1 + 0.01 * (((rank * rows + i) * 7 + j * 3) % 11));

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int t = 0; t < iterations; ++t) {
    step(f, g, 1.2, rows, n, up, down);
    double *old = f;
    f = g;
    g = old;
  }
  double seconds = MPI_Wtime() - start;
  uint64_t sum = 0;
  for (int k = 0; k < directions; ++k)
    sum += checksum(&f[at(k, 1, rows, n)], (size_t)rows * n);
  finish(seconds, iterations, sum);
  free(f);
  free(g);
  MPI_Finalize();
  return 0;
}
