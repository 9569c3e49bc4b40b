// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several loops over rows of `double **`, of which each reads what the one before has computed: each loop looks up the
// rows again, and keeps off the few that the loop before leaves for after the wait. Counts the cells of the last array
// that are computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O3 -fcomm-cost=none %s %t.early.o -lm -o %t.o3
// RUN: %mpirun -n 2 %t.o3 | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-2: -1 before the first wait
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };

/// Returns rows of an array, one after the other.
static double **makeRows(double *values) {
  double **row = malloc(sizeof *row * (rows + 2));
  for (int i = 0; i < rows + 2; ++i)
    row[i] = values + i * width;
  return row;
}

/// Returns an array whose interior is not computed yet.
static double *makeCells(void) {
  double *values = fill(cells, rank);
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      values[i * width + j] = NAN;
  return values;
}

INLINE static void exchange(double **u, int n, int m) {
  MPI_Sendrecv(&u[1][1], n, MPI_DOUBLE, last, 1, &u[m + 1][1], n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[m][1], n, MPI_DOUBLE, next, 2, &u[0][1], n, MPI_DOUBLE, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Two rows on each side wait: 16 of 20 do not.
// CHECK: residual: 584 before the first wait, of 600
NOINLINE static void residual(double **u, double **v, double **w, double *values, int n, int m) {
  watch(values, cells);
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      w[i][j] = v[i - 1][j] + v[i + 1][j] - 2 * v[i][j];
  tell("residual", values, cells, rows * columns);
}

typedef struct {
  double **pressure, **speed, **next;
  int n, m;
} Field;

/// The tables are members of a structure, and the arrays are on staggered grids: the first loop leaves the last row.
// CHECK: staggered: 644 before the first wait, of 600
NOINLINE static void staggered(Field *f, double *values) {
  watch(values, cells);
  exchange(f->pressure, f->n, f->m);
  for (int i = 1; i <= f->m; ++i)
    for (int j = 1; j <= f->n; ++j)
      f->speed[i][j] = f->speed[i][j] + f->pressure[i + 1][j] - f->pressure[i][j];
  for (int i = 1; i <= f->m; ++i)
    for (int j = 1; j <= f->n; ++j)
      f->next[i][j] = f->pressure[i][j] - f->speed[i][j] + f->speed[i - 1][j];
  tell("staggered", values, cells, rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = columns + argc - 1, m = rows + argc - 1;
  double *values = makeCells();
  residual(makeRows(fill(cells, rank)), makeRows(fill(cells, 0)), makeRows(values), values, n, m);
  values = makeCells();
  Field f = {makeRows(fill(cells, rank)), makeRows(fill(cells, 1)), makeRows(values), n, m};
  staggered(&f, values);
  MPI_Finalize();
}
