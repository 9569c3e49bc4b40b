// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that each row fills before it reads them (fluxes, the coefficients of a tridiagonal solver) keep no row from
// running before the wait, wherever they are declared.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O3 -fcomm-cost=none %s %t.early.o -lm -o %t.3
// RUN: %mpirun -n 2 %t.3 | FileCheck %s
// RUN: %mpicc -O2 -ffp-contract=off %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };
static int up, down;

#define AT(u, i, j) u[(i) * (n + 2) + (j)]

static INLINE void exchange(double *u, int n, int m) {
  MPI_Sendrecv(&AT(u, 1, 0), n + 2, MPI_DOUBLE, up, 1, &AT(u, m + 1, 0), n + 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&AT(u, m, 0), n + 2, MPI_DOUBLE, down, 2, &AT(u, 0, 0), n + 2, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void forget(double *v, int n, int m) {
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = NAN;
  watch(v, cells);
}

/// Fluxes between columns and to the rows above and below, in arrays on the heap. Of 20 rows, two read ghosts.
// CHECK: fluxes: 644 before the first wait
NOINLINE static void fluxes(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  double *across = malloc((n + 1) * sizeof(double)), *along = malloc(2 * n * sizeof(double));
  forget(v, n, m);
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n; ++j)
      across[j] = 0.5 * (AT(u, i, j) + AT(u, i, j + 1));
    for (int j = 0; j < n; ++j) {
      along[j] = AT(u, i, j + 1) - AT(u, i - 1, j + 1);
      along[n + j] = AT(u, i + 1, j + 1) - AT(u, i, j + 1);
    }
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = AT(u, i, j) - 0.25 * (across[j] - across[j - 1]) + 0.125 * (along[n + j - 1] - along[j - 1]);
  }
  tell("fluxes", v, cells, rows * columns);
  free(u), free(v), free(across), free(along);
}

static void sweep(double *v, const double *u, int n, int m) {
  double flux[n + 1];
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n; ++j)
      flux[j] = AT(u, i - 1, j) + AT(u, i + 1, j);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = AT(u, i, j) + 0.25 * (flux[j] - flux[j - 1]);
  }
}

/// An array of variable length in a function of its own.
// CHECK: automatic: 644 before the first wait
NOINLINE static void automatic(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  forget(v, n, m);
  exchange(u, n, m);
  sweep(v, u, n, m);
  tell("automatic", v, cells, rows * columns);
  free(u), free(v);
}

/// Values that follow each other in the array: the elimination reads what the column before has stored.
static INLINE void solve(double *x, const double *right, double *c, double *d, int n) {
  c[0] = -0.25;
  d[0] = right[0] * 0.5;
  for (int j = 1; j < n; ++j) {
    c[j] = -1 / (4 + c[j - 1]);
    d[j] = (right[j] + d[j - 1]) * 0.25;
  }
  x[n - 1] = d[n - 1];
  for (int j = n - 2; j >= 0; --j)
    x[j] = d[j] - c[j] * x[j + 1];
}

// CHECK: solver: 644 before the first wait
NOINLINE static void solver(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  double *right = malloc(n * sizeof(double)), *c = malloc(n * sizeof(double)), *d = malloc(n * sizeof(double));
  forget(v, n, m);
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j < n; ++j)
      right[j] = AT(u, i - 1, j + 1) + AT(u, i + 1, j + 1);
    solve(&AT(v, i, 1), right, c, d, n);
  }
  tell("solver", v, cells, rows * columns);
  free(u), free(v), free(right), free(c), free(d);
}

typedef struct {
  double mass, energy;
} Flux;

/// An array of structures, and what the last row has left in it.
// CHECK: structures: 644 before the first wait
NOINLINE static void structures(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  Flux *flux = malloc((n + 1) * sizeof(Flux));
  forget(v, n, m);
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n; ++j) {
      flux[j].mass = AT(u, i, j) + AT(u, i + 1, j + 1);
      flux[j].energy = AT(u, i, j) - AT(u, i - 1, j + 1);
    }
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = flux[j].mass - flux[j - 1].mass + 0.5 * (flux[j].energy - flux[j - 1].energy);
  }
  for (int j = 0; j <= n; ++j)
    AT(v, 0, j) = flux[j].mass + flux[j].energy;
  tell("structures", v, cells, rows * columns);
  free(u), free(v), free(flux);
}

/// Faces, one more than there are rows, and the cells between them. All faces but two need no ghost.
// CHECK: faces: 644 before the first wait
NOINLINE static void faces(int n, int m, double time, double length) {
  double *u = fill(cells, rank), *v = fill(cells, rank), *flux = fill(cells, rank), *across = fill(cells, rank);
  forget(v, n, m);
  exchange(u, n, m);
  for (int i = 0; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(flux, i, j) = AT(u, i + 1, j) - AT(u, i, j);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j <= n; ++j)
      AT(across, i, j) = AT(u, i, j + 1) - AT(u, i, j);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = AT(u, i, j) + time / length * (AT(flux, i, j) - AT(flux, i - 1, j) + AT(across, i, j));
  tell("faces", v, cells, rows * columns);
  free(u), free(v), free(flux), free(across);
}

/// Fluxes of a line of cells with two values, by limited slopes: too large for LLVM's inliner, and called twice.
static void advance(double *restrict q, double *restrict flux, int n, double step) {
  int w = n + 2;
  for (int k = 0; k <= n; ++k) {
    double slope[2], left[2], right[2];
    for (int v = 0; v < 2; ++v) {
      double l = q[v * w + k + 1] - q[v * w + k], r = q[v * w + k] - 0.25 * l;
      slope[v] = l * r <= 0 ? 0 : fabs(l) < fabs(r) ? l : r;
      left[v] = q[v * w + k] + 0.5 * slope[v];
      right[v] = q[v * w + k + 1] - 0.5 * slope[v];
    }
    double a = left[1] / (1 + left[0] * left[0]), b = right[1] / (1 + right[0] * right[0]);
    double p = 0.4 * (left[0] * left[0] + left[1] * a), s = 0.4 * (right[0] * right[0] + right[1] * b);
    double c = fmax(fabs(a) + p / (1 + fabs(left[0])), fabs(b) + s / (1 + fabs(right[0])));
    flux[k] = 0.5 * (left[1] + right[1]) - 0.5 * c * (right[0] - left[0]);
    flux[w + k] = 0.5 * (left[1] * a + p + right[1] * b + s) - 0.5 * c * (right[1] - left[1]);
  }
  for (int v = 0; v < 2; ++v)
    for (int k = 1; k <= n; ++k)
      q[v * w + k] -= step * (flux[v * w + k] - flux[v * w + k - 1]);
}

/// A line is copied into arrays of its own, computed by a function with restricted pointers, and copied back.
// CHECK: lines: 644 before the first wait
NOINLINE static void lines(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank), *w = fill(cells, rank);
  double *q = malloc(2 * (n + 2) * sizeof(double)), *flux = malloc(2 * (n + 2) * sizeof(double));
  forget(v, n, m);
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n + 1; ++j)
      q[j] = AT(u, i - 1, j), q[n + 2 + j] = AT(u, i + 1, j);
    advance(q, flux, n, 0.125);
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = q[j] + 0.5 * q[n + 2 + j];
  }
  for (int i = 1; i <= m; ++i) {
    for (int j = 0; j <= n + 1; ++j)
      q[j] = AT(w, i, j), q[n + 2 + j] = 0.25;
    advance(q, flux, n, 0.5);
    for (int j = 1; j <= n; ++j)
      AT(w, i, j) = q[j];
  }
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) += AT(w, i, j);
  tell("lines", v, cells, rows * columns);
  free(u), free(v), free(w), free(q), free(flux);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL;
  down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int n = argc > 1 ? atoi(argv[1]) : columns, m = argc > 2 ? atoi(argv[2]) : rows;
  fluxes(n, m);
  automatic(n, m);
  solver(n, m);
  structures(n, m);
  faces(n, m, 0.5, 4);
  lines(n, m);
  MPI_Finalize();
  return 0;
}
