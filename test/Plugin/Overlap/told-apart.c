// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Harmless for a loop: a number of a structure that each iteration reads, several ghost rows in one datatype, many
// arrays in one loop, a function that sets errno, the end of the requests' lifetimes between two clock readings.

// RUN: %commcc -O2 -g -Rcomm %s -o %t -lm 2>&1 | FileCheck %s

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
enum { n = 1000, halo = 4, fields = 7 };
struct domain {
  double nu, dt;
  int rows, columns;
  double *u, *v;
};
static int up, down;
static double waited, worked;

static inline void exchange(double *u, int rows, int columns) {
  MPI_Sendrecv(u + columns, columns, MPI_DOUBLE, up, 0, u + (rows + 1) * columns, columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + rows * columns, columns, MPI_DOUBLE, down, 1, u, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/// The number may be anywhere: it is asked.
NOINLINE void number(struct domain *d) {
  exchange(d->u, d->rows, d->columns);
  // CHECK-DAG: splits the loop at told-apart.c:[[#@LINE+1]]: iterations
  for (int i = 1; i <= d->rows; ++i)
    for (int j = 1; j < d->columns - 1; ++j)
      d->v[i * d->columns + j] =
          d->u[i * d->columns + j] + d->nu * d->u[(i - 1) * d->columns + j] + d->dt * d->u[(i + 1) * d->columns + j];
}

/// Ghost rows without their ends.
NOINLINE void rows(const double *restrict u, double *restrict v, int m) {
  MPI_Datatype ghosts;
  MPI_Type_vector(halo, n - 2 * halo, n, MPI_DOUBLE, &ghosts);
  MPI_Type_commit(&ghosts);
  MPI_Sendrecv(&u[halo * n + halo], 1, ghosts, up, 0, (double *)&u[(m + halo) * n + halo], 1, ghosts, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // CHECK-DAG: splits the loop at told-apart.c:[[#@LINE+1]]: iterations
  for (int i = halo; i < m + halo; ++i)
    for (int j = halo; j < n - halo; ++j) {
      double sum = 0;
      for (int k = 1; k <= halo; ++k)
        sum += u[(i - k) * n + j] + u[(i + k) * n + j];
      v[i * n + j] = sum;
    }
  MPI_Type_free(&ghosts);
}

/// Seven arrays become seven others.
NOINLINE void many(double *f[fields], double *g[fields], double *u, int m) {
  double *a = f[0], *b = f[1], *c = f[2], *d = f[3], *e = f[4], *h = f[5], *A = g[0], *B = g[1], *C = g[2], *D = g[3],
         *E = g[4], *H = g[5], *k = f[6], *K = g[6];
  exchange(u, m, n);
  // CHECK-DAG: splits the loop at told-apart.c:[[#@LINE+1]]: iterations
  for (int i = n; i < (m + 1) * n; ++i) {
    double sum = a[i] + b[i] + c[i] + d[i] + e[i] + h[i] + k[i] + u[i + n];
    A[i] = a[i] - sum, B[i] = b[i] - sum, C[i] = c[i] - sum, D[i] = d[i] - sum, E[i] = e[i] - sum, H[i] = h[i] - sum,
    K[i] = k[i] - sum;
  }
}

/// Neighbors by a list.
NOINLINE void listed(const double *restrict u, double *restrict v, const int *restrict list, int m, int turns) {
  for (int t = 0; t < turns; ++t) {
    MPI_Sendrecv(u, n, MPI_DOUBLE, up, 0, (double *)u + m, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // CHECK-DAG: splits the loop at told-apart.c:[[#@LINE+1]]: iterations {{.*}} are found at run time
    for (int i = 0; i < m; ++i)
      v[i] = sin(u[list[2 * i]]) + sin(u[list[2 * i + 1]]);
  }
}

/// Both parts are timed.
NOINLINE void timed(double *restrict u, double *restrict v, int m) {
  double now = MPI_Wtime();
  {
    MPI_Request q[2];
    MPI_Irecv(u, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(u + m * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  }
  waited += MPI_Wtime() - now;
  double begin = MPI_Wtime();
  // CHECK-DAG: splits the loop at told-apart.c:[[#@LINE+1]]: iterations
  for (int i = 1; i < m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = u[(i - 1) * n + j] + u[(i + 1) * n + j];
  worked += MPI_Wtime() - begin;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  up = rank ? rank - 1 : MPI_PROC_NULL;
  down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double *f[fields], *g[fields], *u = calloc(n * n, sizeof *u), *v = calloc(n * n, sizeof *v);
  int *list = calloc(2 * n, sizeof *list);
  for (int i = 0; i < fields; ++i) {
    f[i] = calloc(n * n, sizeof *u);
    g[i] = calloc(n * n, sizeof *u);
  }
  struct domain d = {0.1, 0.2, argc * 100, argc * 500, u, v};
  for (int t = 0; t < 10; ++t) {
    number(&d);
    rows(u, v, argc * 100);
    many(f, g, u, argc * 100);
    timed(u, v, argc * 100);
  }
  listed(u, v, list, argc * 500, 10);
  if (rank == 0)
    printf("%g %g %g\n", v[n], waited, worked);
  MPI_Finalize();
}
