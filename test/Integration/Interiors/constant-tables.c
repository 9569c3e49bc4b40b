// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lattice Boltzmann methods with 19 directions in tables of constants, which are too many for LLVM to unroll: an array
// for each axis, and an array of vectors. The part of the next lattice that is computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 3 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 3 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: axes: -1 before the first wait
#include "Inputs/cells.h"

enum { Q = 19 };
static const int ex[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int ey[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int ez[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
static const int e[Q][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
                            {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
                            {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
static const double weight[Q] = {1. / 3,  1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18,
                                 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36,
                                 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
/// The program changes this one.
int depth[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

typedef struct {
  int nx, ny, nz;
  double *now, *next;
} Lattice;

INLINE static size_t at(const Lattice *l, int i, int j, int k, int q) {
  return (((size_t)k * (l->ny + 2) + j) * (l->nx + 2) + i) * Q + q;
}

INLINE static void exchange(const Lattice *l) {
  int plane = (l->nx + 2) * (l->ny + 2) * Q;
  int below = rank ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(l->now + plane, plane, MPI_DOUBLE, below, 0, l->now + (l->nz + 1) * plane, plane, MPI_DOUBLE, above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(l->now + l->nz * plane, plane, MPI_DOUBLE, above, 1, l->now, plane, MPI_DOUBLE, below, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

INLINE static void relax(const Lattice *l, int i, int j, int k, const double *f, double density, double x, double y,
                         double z, int q, double cu) {
  double equilibrium = weight[q] * density * (1 + cu + 0.5 * cu * cu - 1.5 * (x * x + y * y + z * z));
  l->next[at(l, i, j, k, q)] = f[q] + 1.1 * (equilibrium - f[q]);
}

INLINE static void stream(const Lattice *l, int first, int last, const int *z) {
  for (int k = first; k <= last; ++k)
    for (int j = 1; j <= l->ny; ++j)
      for (int i = 1; i <= l->nx; ++i) {
        double f[Q], density = 0, x = 0, y = 0;
        for (int q = 0; q < Q; ++q) {
          f[q] = l->now[at(l, i - ex[q], j - ey[q], k - z[q], q)];
          density += f[q], x += ex[q] * f[q], y += ey[q] * f[q];
        }
        x /= density, y /= density;
        for (int q = 0; q < Q; ++q)
          relax(l, i, j, k, f, density, x, y, 0, q, 3 * (ex[q] * x + ey[q] * y));
      }
}

/// 8 planes of 10, since there are two messages.
// CHECK: axes: 10944 before the first wait, of 13680
NOINLINE static void axes(const Lattice *l) {
  exchange(l);
  stream(l, 1, l->nz, ez);
}

// CHECK: vectors: 10944 before the first wait, of 13680
NOINLINE static void vectors(const Lattice *l) {
  exchange(l);
  for (int k = 1; k <= l->nz; ++k)
    for (int j = 1; j <= l->ny; ++j)
      for (int i = 1; i <= l->nx; ++i) {
        double f[Q], density = 0, x = 0, y = 0, z = 0;
        for (int q = 0; q < Q; ++q) {
          f[q] = l->now[at(l, i - e[q][0], j - e[q][1], k - e[q][2], q)];
          density += f[q], x += e[q][0] * f[q], y += e[q][1] * f[q], z += e[q][2] * f[q];
        }
        x /= density, y /= density, z /= density;
        for (int q = 0; q < Q; ++q)
          relax(l, i, j, k, f, density, x, y, z, q, 3 * (e[q][0] * x + e[q][1] * y + e[q][2] * z));
      }
}

/// A variable, which holds something else than at the beginning: planes that are two apart.
// CHECK: changed:
NOINLINE static void changed(const Lattice *l) {
  exchange(l);
  stream(l, 2, l->nz - 1, depth);
}

static void start(Lattice *l) {
  long number = (long)at(l, 0, 0, l->nz + 2, 0);
  for (long i = 0; i < number; ++i)
    l->now[i] = rank + 1 + i % 11, l->next[i] = NAN;
  watch(l->next, number);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  Lattice l = {8 + argc - 1, 9 + argc - 1, 10 + argc - 1, NULL, NULL};
  long number = (long)at(&l, 0, 0, l.nz + 2, 0);
  l.now = fill(number, 0), l.next = fill(number, 0);
  long cells = (long)l.nx * l.ny * l.nz * Q;
  start(&l), axes(&l), tell("axes", l.next, number, cells);
  start(&l), vectors(&l), tell("vectors", l.next, number, cells);
  depth[5] = 2, depth[5 + argc] = -2;
  start(&l), changed(&l), tell("changed", l.next, number, cells);
  MPI_Finalize();
}
