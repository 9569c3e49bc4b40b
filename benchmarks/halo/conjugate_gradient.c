// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients with the matrix of sparse.h: one product and two global dot products per iteration.
//
//   conjugate_gradient [N] [ITERATIONS]     N x N x N rows in each process
#include "sparse.h"

static double dot(const double *x, const double *y, int n) {
  double sum = 0, all;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void add(double *restrict x, double factor, const double *restrict y, int n) {
  for (int i = 0; i < n; ++i)
    x[i] += factor * y[i];
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argument(argc, argv, 1, 40), iterations = argument(argc, argv, 2, 30);
  Matrix a = make_matrix(n, rank, size);
  double *x = allocate(sizeof(double) * a.rows), *r = allocate(sizeof(double) * a.rows);
  double *p = allocate(sizeof(double) * (a.rows + a.ghosts)), *q = allocate(sizeof(double) * a.rows);
  for (int i = 0; i < a.rows; ++i)
    r[i] = p[i] = (rank * a.rows + i) * 13 % 17 / 16.0;

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  double rr = dot(r, r, a.rows);
  for (int t = 0; t < iterations; ++t) {
    multiply(&a, p, q);
    const double alpha = rr / dot(p, q, a.rows);
    const double old = rr;
#ifdef BY_HAND
    // The sum does not need x, which is computed while the sum is in flight.
    double sum = 0;
    MPI_Request request;
    add(r, -alpha, q, a.rows);
    for (int i = 0; i < a.rows; ++i)
      sum += r[i] * r[i];
    MPI_Iallreduce(&sum, &rr, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    add(x, alpha, p, a.rows);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    add(x, alpha, p, a.rows);
    add(r, -alpha, q, a.rows);
    rr = dot(r, r, a.rows);
#endif
    const double beta = rr / old;
    for (int i = 0; i < a.rows; ++i)
      p[i] = r[i] + beta * p[i];
  }
  finish(MPI_Wtime() - start, iterations, checksum(x, a.rows));
  free(x);
  free(r);
  free(p);
  free(q);
  free_matrix(&a);
  MPI_Finalize();
  return 0;
}
