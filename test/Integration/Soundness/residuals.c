// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sweep in each step, and a residual in some: both loops have one guard, which optimizers thread up to the second
// one. Sizes start at zero, so that both paths of the guard are taken.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

static int up, down;

NOINLINE static void show(const char *what, const double *cell, int cells, double residual) {
  unsigned long sum = 0, bits;
  for (int i = 0; i < cells; ++i) {
    memcpy(&bits, &cell[i], sizeof bits);
    sum = sum * 31 + bits;
  }
  memcpy(&bits, &residual, sizeof bits);
  say(what, (long)(sum * 31 + bits));
}

NOINLINE static double *make(int cells, int seed) {
  double *cell = malloc(sizeof(double) * cells);
  for (int i = 0; i < cells; ++i)
    cell[i] = ((i + 1) * 37 + seed * 11 + rank * 5) % 101 / 7.0;
  return cell;
}

static inline __attribute__((always_inline)) void exchange(double *u, int m) {
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, up, 0, &u[m + 1], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[m], 1, MPI_DOUBLE, down, 1, &u[0], 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Stops when it has converged.
// CHECK-DAG: splits the loop at residuals.c:[[#@LINE+6]]
NOINLINE static void converging(int m, int turns) {
  double *u = make(m + 2, 1), *v = make(m + 2, 1), residual = -1;
  int t;
  for (t = 0; t < turns; ++t) {
    exchange(u, m);
    for (int i = 1; i <= m; ++i)
      v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    if (t % 3 == 2) {
      double sum = 0;
      for (int i = 1; i <= m; ++i)
        sum += (v[i] - u[i]) * (v[i] - u[i]);
      MPI_Allreduce(&sum, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (residual < 9)
        break;
    }
    double *old = u;
    u = v;
    v = old;
  }
  show("converging", u, m + 2, residual + t);
  free(u);
  free(v);
}

/// Later code uses the last value of the sweep, and the number of its steps.
NOINLINE static void following(int m, int turns) {
  double *u = make(m + 2, 2), *v = make(m + 2, 3), last = 0, largest = 0;
  for (int t = 0; t < turns; ++t) {
    exchange(u, m);
    double change = 0;
    for (int i = 1; i <= m; ++i) {
      v[i] = 0.25 * (u[i - 1] + 2 * u[i] + u[i + 1]);
      change = v[i] - u[i];
    }
    if (t % 2 == 1) {
      for (int i = 1; i <= m; ++i)
        largest = v[i] - u[i] > largest ? v[i] - u[i] : largest;
      last += change;
    } else {
      last -= 1;
    }
    memcpy(&u[1], &v[1], sizeof(double) * m);
  }
  show("following", u, m + 2, largest + last);
  free(u);
  free(v);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + 1) % size;
  down = (rank + size - 1) % size;
  static const int sizes[] = {1, 2, 3, 7, 400};
  for (int k = 0; k < 5; ++k) {
    converging(sizes[k], 7);
    following(sizes[k], 6);
  }
  // No cells at all, and no neighbor for ghosts.
  up = down = MPI_PROC_NULL;
  converging(0, 4);
  following(0, 4);
  MPI_Finalize();
  return 0;
}
