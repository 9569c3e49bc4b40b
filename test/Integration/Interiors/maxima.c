// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks whose sweep computes the largest change by a macro that takes NaN. The points without a ghost neighbor run
// before the first wait, as in a version by hand.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN: block: 0 before the first wait
// PLAIN: cube: -1 before the first wait
#include "Inputs/cells.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static double change;

/// 12 * 15 points, of which 10 * 13 have no remote neighbor.
// CHECK: block: 130 before the first wait, of 180
NOINLINE static void block(double *u, double *v, int m, int n, MPI_Datatype column) {
  int w = n + 2;
  double most = 0;
  MPI_Request q[8];
  MPI_Irecv(u + 1, n, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(u + (m + 1) * w + 1, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &q[1]);
  MPI_Irecv(u + w, 1, column, last, 2, MPI_COMM_WORLD, &q[2]);
  MPI_Irecv(u + w + n + 1, 1, column, next, 3, MPI_COMM_WORLD, &q[3]);
  MPI_Isend(u + m * w + 1, n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &q[4]);
  MPI_Isend(u + w + 1, n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &q[5]);
  MPI_Isend(u + w + n, 1, column, next, 2, MPI_COMM_WORLD, &q[6]);
  MPI_Isend(u + w + 1, 1, column, last, 3, MPI_COMM_WORLD, &q[7]);
  MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      double x = 0.25 * (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1]);
      most = MAX(most, fabs(x - u[i * w + j]));
      v[i * w + j] = x;
    }
  change = most;
}

/// The same in a cube with packed faces on two sides: 8 * 7 * 6 points, of which 8 * 7 * 4 have no remote neighbor.
// CHECK: cube: 224 before the first wait, of 336
NOINLINE static void cube(double *restrict u, double *restrict v, int l, int m, int n, double *faces) {
#define AT(i, j, k) (((i) * (m + 2) + (j)) * (n + 2) + (k))
  int number = l * m;
  double most = 0, *west = faces, *east = faces + number, *toWest = east + number, *toEast = toWest + number;
  for (int i = 0; i < l; ++i)
    for (int j = 0; j < m; ++j) {
      toWest[i * m + j] = u[AT(i + 1, j + 1, 1)];
      toEast[i * m + j] = u[AT(i + 1, j + 1, n)];
    }
  MPI_Sendrecv(toWest, number, MPI_DOUBLE, last, 0, east, number, MPI_DOUBLE, next, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(toEast, number, MPI_DOUBLE, next, 1, west, number, MPI_DOUBLE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < l; ++i)
    for (int j = 0; j < m; ++j) {
      u[AT(i + 1, j + 1, 0)] = west[i * m + j];
      u[AT(i + 1, j + 1, n + 1)] = east[i * m + j];
    }
  for (int i = 1; i <= l; ++i)
    for (int j = 1; j <= m; ++j)
      for (int k = 1; k <= n; ++k) {
        double x = u[AT(i, j, k - 1)] + u[AT(i, j, k + 1)] - u[AT(i, j - 1, k)] + u[AT(i + 1, j, k)];
        most = MAX(most, fabs(x - u[AT(i, j, k)]));
        v[AT(i, j, k)] = x;
      }
  change = most;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int m = 11 + argc, n = 14 + argc, number = (m + 2) * (n + 2);
  double *u = fill(number, rank), *v = fill(number, NAN);
  MPI_Datatype column;
  MPI_Type_vector(m, 1, n + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  watch(v, number);
  block(u, v, m, n, column);
  tell("block", v, number, (long)m * n);

  int l = 7 + argc;
  m = 6 + argc, n = 5 + argc, number = (l + 2) * (m + 2) * (n + 2);
  double *faces = fill(4 * l * m, 0);
  u = fill(number, rank), v = fill(number, NAN);
  watch(v, number);
  cube(u, v, l, m, n, faces);
  tell("cube", v, number, (long)l * m * n);
  if (!rank)
    printf("%g\n", change);
  MPI_Finalize();
  return 0;
}
