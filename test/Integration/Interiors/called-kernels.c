// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finite volumes: cells with four values, and a flux between two cells, a function that is too large for the inliner. A
// call touches whatever its arguments point to, so Comm asks for its inlining. The optimizer masks indices that are
// multiples of four. Counts values that are computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O3 -fcomm-cost=none %s %t.early.o -lm -o %t.o3
// RUN: %mpirun -n 2 %t.o3 | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.o3 | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-3: -1 before the first wait
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, values = 4, width = (columns + 2) * values, number = (rows + 2) * width };

/// Values of the interior are not computed yet.
static void makeFields(double **now, double **then) {
  *now = fill(number, rank), *then = fill(number, rank);
  for (int i = 0; i < number; ++i)
    (*now)[i] = 1 + (*now)[i] / 100 + (i % values == 3 ? 20 : 0);
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      for (int k = 0; k < values; ++k)
        (*then)[i * width + j * values + k] = NAN;
  watch(*then, number);
}

INLINE static void exchange(double *u, int m, int n) {
  const int row = (n + 2) * values;
  MPI_Sendrecv(u + row, row, MPI_DOUBLE, last, 0, u + (m + 1) * row, row, MPI_DOUBLE, next, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + m * row, row, MPI_DOUBLE, next, 1, u, row, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Pressure and speed of sound.
static void findState(const double *u, double gamma, double *state) {
  double kinetic = 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0];
  state[0] = (gamma - 1) * (u[3] - kinetic);
  state[1] = sqrt(gamma * fabs(state[0]) / u[0]);
}

/// The flux between two cells (Harten, Lax and van Leer).
static void findFlux(const double *left, const double *right, int direction, double *flux) {
  double l[2], r[2], fromLeft[values], fromRight[values];
  findState(left, 1.4, l);
  findState(right, 1.4, r);
  double ul = left[1 + direction] / left[0], ur = right[1 + direction] / right[0];
  double slowest = fmin(ul - l[1], ur - r[1]), fastest = fmax(ul + l[1], ur + r[1]);
  for (int k = 0; k < values; ++k) {
    fromLeft[k] = left[k] * ul;
    fromRight[k] = right[k] * ur;
  }
  fromLeft[1 + direction] += l[0];
  fromRight[1 + direction] += r[0];
  fromLeft[3] += l[0] * ul;
  fromRight[3] += r[0] * ur;
  for (int k = 0; k < values; ++k)
    if (slowest >= 0)
      flux[k] = fromLeft[k];
    else if (fastest <= 0)
      flux[k] = fromRight[k];
    else
      flux[k] = (fastest * fromLeft[k] - slowest * fromRight[k] + slowest * fastest * (right[k] - left[k])) /
                (fastest - slowest);
}

/// The sweep is a function of its own.
static void advance(const double *restrict now, double *restrict then, int m, int n, double step) {
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      const double *cell = now + (i * (n + 2) + j) * values;
      double west[values], east[values], north[values], south[values];
      findFlux(cell - values, cell, 0, west);
      findFlux(cell, cell + values, 0, east);
      findFlux(cell - (n + 2) * values, cell, 1, north);
      findFlux(cell, cell + (n + 2) * values, 1, south);
      for (int k = 0; k < values; ++k)
        then[(i * (n + 2) + j) * values + k] = cell[k] - step * (east[k] - west[k] + south[k] - north[k]);
    }
}

// CHECK: sweep: 2576 before the first wait, of 2400
NOINLINE static void sweep(int m, int n) {
  double *now, *then;
  makeFields(&now, &then);
  for (int t = 0; t < 2; ++t) {
    exchange(now, m, n);
    advance(now, then, m, n, 0.01);
    double *old = now;
    now = then, then = old;
  }
  tell("sweep", now, number, rows * columns * values);
}

// Next to the exchange.
// CHECK: here: 2576 before the first wait, of 2400
NOINLINE static void here(int m, int n) {
  double *now, *then;
  makeFields(&now, &then);
  for (int t = 0; t < 2; ++t) {
    exchange(now, m, n);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j) {
        const double *cell = now + (i * (n + 2) + j) * values;
        double north[values], south[values];
        findFlux(cell - (n + 2) * values, cell, 1, north);
        findFlux(cell, cell + (n + 2) * values, 1, south);
        for (int k = 0; k < values; ++k)
          then[(i * (n + 2) + j) * values + k] = cell[k] - 0.01 * (south[k] - north[k]);
      }
    double *old = now;
    now = then, then = old;
  }
  tell("here", now, number, rows * columns * values);
}

/// Arguments do not overlap, as in Fortran: a promise about one iteration, of which the loop makes no use.
static void findRestricted(const double *restrict left, const double *restrict right, double *restrict flux) {
  findFlux(left, right, 1, flux);
}

// CHECK: restricted: 2576 before the first wait, of 2400
NOINLINE static void restricted(int m, int n) {
  double *now, *then;
  makeFields(&now, &then);
  for (int t = 0; t < 2; ++t) {
    exchange(now, m, n);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j) {
        double *cell = now + (i * (n + 2) + j) * values, *to = then + (i * (n + 2) + j) * values;
        double north[values], south[values];
        findRestricted(cell - (n + 2) * values, cell, north);
        findRestricted(cell, cell + (n + 2) * values, south);
        for (int k = 0; k < values; ++k)
          to[k] = cell[k] - 0.01 * (south[k] - north[k]);
      }
    double *old = now;
    now = then, then = old;
  }
  tell("restricted", now, number, rows * columns * values);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  sweep(rows + argc - 1, columns + argc - 1);
  here(rows + argc - 1, columns + argc - 1);
  restricted(rows + argc - 1, columns + argc - 1);
  MPI_Finalize();
}
