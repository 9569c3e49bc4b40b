// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing loops of parallel regions: the part that teams of threads compute before the first wait, or between the
// start and the wait of the data that is computed to be sent.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcxx -O2 -fopenmp -Rcomm %s %t.early.o -lm -o %t
// RUN: env OMP_NUM_THREADS=2 %mpirun -n 2 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=2 %mpirun -n 1 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %mpirun -n 4 %t | FileCheck %s
// RUN: %mpicxx -O2 -fopenmp %s %t.early.o -lm -o %t.plain
// RUN: env OMP_NUM_THREADS=2 %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-8: 0 before the first wait
// PLAIN: levels: 60 before the first wait
// PLAIN-COUNT-2: 0 before the first wait
//
// The same digits as without Comm.
// RUN: env OMP_NUM_THREADS=2 %mpirun -n 2 %t | sed 's/.*sum/sum/' > %t.sums
// RUN: env OMP_NUM_THREADS=2 %mpirun -n 2 %t.plain | sed 's/.*sum/sum/' | diff %t.sums -
#include "Inputs/cells.h"

#include <vector>

static void exchange(double *u, int n, int m) {
  MPI_Request q[4];
  MPI_Irecv(u, m, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(u + (n - 1) * m, m, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &q[1]);
  MPI_Isend(u + m, m, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q[2]);
  MPI_Isend(u + (n - 2) * m, m, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &q[3]);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

// clang-format off
#define SWEEP(TO, FACTOR)                                                                                              \
  for (int i = 1; i < n - 1; ++i)                                                                                      \
    for (int j = 1; j < m - 1; ++j)                                                                                    \
      TO[i * m + j] = FACTOR * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
// clang-format on

NOINLINE static void rows(double *u, double *v, int n, int m) {
  exchange(u, n, m);
#pragma omp parallel for
  SWEEP(v, 0.25)
}

/// A loop of a region, and the barrier of it.
NOINLINE static void within(double *u, double *v, int n, int m) {
  exchange(u, n, m);
#pragma omp parallel
#pragma omp for schedule(static)
  SWEEP(v, 0.25)
}

/// Values of their own.
NOINLINE static void own(double *u, double *v, int n, int m, double c) {
  double e = c * 0.5;
  exchange(u, n, m);
#pragma omp parallel for firstprivate(e) default(none) shared(u, v, n, m) schedule(static)
  SWEEP(v, e)
}

NOINLINE static void two(double *u, double *v, double *w, int n, int m) {
  exchange(u, n, m);
#pragma omp parallel for
  SWEEP(v, 0.25)
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      w[i * m + j] = v[i * m + j] - u[i * m + j];
}

/// Two loops of one team.
NOINLINE static void team(double *u, double *v, double *w, int n, int m) {
  exchange(u, n, m);
#pragma omp parallel
  {
#pragma omp for
    SWEEP(v, 0.25)
#pragma omp for
    for (int i = 2; i < n - 2; ++i)
      for (int j = 1; j < m - 1; ++j)
        w[i * m + j] = v[i * m + j] + v[(i - 1) * m + j] + v[(i + 1) * m + j];
  }
}

static double field[22 * 10], changed[22 * 10];

NOINLINE static void globals() {
  double *u = field;
  const int n = 22, m = 10;
  exchange(u, n, m);
#pragma omp parallel for
  SWEEP(changed, 0.25)
}

struct Grid {
  int n, m;
  std::vector<double> now, then;
  Grid(int n, int m) : n(n), m(m), now(n * m), then(n * m, NAN) {}
  double &at(std::vector<double> &a, int i, int j) { return a[i * m + j]; }
  NOINLINE void step() {
    exchange(now.data(), n, m);
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j)
        at(then, i, j) = 0.25 * (at(now, i - 1, j) + at(now, i + 1, j) + at(now, i, j - 1) + at(now, i, j + 1));
  }
};

/// A structure whose address the region gets, and pointers that are swapped there.
struct Levels {
  int n, m;
  double *now, *then;
};

INLINE static void sweepLevels(Levels *g) {
#pragma omp parallel for
  for (int i = 1; i < g->n - 1; ++i)
    for (int j = 1; j < g->m - 1; ++j)
      g->then[i * g->m + j] = 0.25 * (g->now[(i - 1) * g->m + j] + g->now[(i + 1) * g->m + j]);
}

NOINLINE static void levels(double *u, double *v, int n, int m) {
  Levels g = {n, m, u, v};
  for (int step = 0; step < 3; ++step) {
    exchange(g.now, g.n, g.m);
    sweepLevels(&g);
    double *t = g.now;
    g.now = g.then;
    g.then = t;
  }
}

/// Loops of C.
NOINLINE static void columns(double *all, double *other, int n, int m) {
  double (*u)[10] = (double (*)[10])all, (*v)[10] = (double (*)[10])other;
  exchange(all, n, m);
  int i, j;
#pragma omp parallel for private(j)
  for (i = n - 2; i >= 1; i--)
    for (j = 1; j < m - 1; j++)
      v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

NOINLINE static void sent(double *u, double *v, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 0; j < m; ++j)
      v[i * m + j] = 2 * u[i * m + j] + 1;
  exchange(v, n, m);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  const int n = 22, m = 10;
  double *u, *v, *w;
  auto prepare = [&]() {
    u = fill(n * m, rank + 1), v = fill(n * m, NAN), w = fill(n * m, NAN);
    watch(v, n * m);
  };
  prepare();
  rows(u, v, n, m);
  // CHECK: rows: 144 before the first wait, of 160
  tell("rows", v, n * m, 160);
  prepare();
  within(u, v, n, m);
  // CHECK: within: 144 before the first wait, of 160
  tell("within", v, n * m, 160);
  prepare();
  own(u, v, n, m, 0.3);
  // CHECK: own: 144 before the first wait, of 160
  tell("own", v, n * m, 160);
  prepare();
  two(u, v, w, n, m);
  // CHECK: two: 144 before the first wait, of 160
  tell("two", v, n * m, 160);
  prepare();
  watch(w, n * m);
  two(u, v, w, n, m);
  // CHECK: the second one: 144 before the first wait, of 160
  tell("the second one", w, n * m, 160);
  prepare();
  watch(w, n * m);
  team(u, v, w, n, m);
  // CHECK: team: 128 before the first wait, of 144
  tell("team", w, n * m, 144);
  for (int i = 0; i < n * m; ++i)
    field[i] = u[i], changed[i] = NAN;
  watch(changed, n * m);
  globals();
  // CHECK: globals: 144 before the first wait, of 160
  tell("globals", changed, n * m, 160);
  Grid g(n, m);
  for (int i = 0; i < n * m; ++i)
    g.now[i] = u[i];
  watch(g.then.data(), n * m);
  g.step();
  // CHECK: class: 144 before the first wait, of 160
  tell("class", g.then.data(), n * m, 160);
  prepare();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (i == 0 || i == n - 1 || j == 0 || j == m - 1)
        v[i * m + j] = 1;
  levels(u, v, n, m);
  // CHECK: levels: 204 before the first wait, of 220
  tell("levels", v, n * m, 220);
  prepare();
  columns(u, v, n, m);
  // CHECK: columns: 144 before the first wait, of 160
  tell("columns", v, n * m, 160);
  // The sent data comes first, 20 points (next to the receives, or before them), the other 180 during the transfer.
  prepare();
  watch(v, n * m);
  sent(u, v, n, m);
  // CHECK: sent: {{180|190|200}} meanwhile
  if (!rank)
    printf("sent: %ld meanwhile; sum 0 before the first wait\n", during());
  MPI_Finalize();
}
