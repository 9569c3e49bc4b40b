// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps over one color of an array of pointers to rows. A row is entered if it has a point of the color, so whether
// its pointers are loaded depends on the last bit of a number. The points that are computed before the first wait.
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
// PLAIN: black: -1 before the first wait
#include "Inputs/cells.h"

#include <sys/mman.h>
#include <unistd.h>

static double **makeRows(double *cells, int n, int m) {
  double **rows = malloc((n + 2) * sizeof(double *));
  for (int i = 0; i < n + 2; ++i)
    rows[i] = cells + (size_t)i * (m + 2);
  return rows;
}

NOINLINE static void sweep(double **u, double **f, int n, int m, int color) {
  MPI_Sendrecv(u[1], m + 2, MPI_DOUBLE, last, 0, u[n + 1], m + 2, MPI_DOUBLE, next, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u[n], m + 2, MPI_DOUBLE, next, 1, u[0], m + 2, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= n; ++i)
    for (int j = 1 + (i + color) % 2; j <= m; j += 2)
      u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}

/// No row of either color may be entered, or those of one color alone. Then the first pointer cannot be read.
NOINLINE static void narrow(double **u, int n, int m, int color) {
  MPI_Sendrecv(u[n], m + 2, MPI_DOUBLE, last, 2, u[n + 1], m + 2, MPI_DOUBLE, next, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= n; ++i)
    for (int j = 1 + (i + color) % 2; j <= m; j += 2)
      u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j]);
}

/// Points of the color are missing, and are in 18 of 20 rows, 15 each.
// CHECK: black: 610 before the first wait
// CHECK: red: 610 before the first wait
static void points(const char *name, int n, int m, int color) {
  long number = (long)(n + 2) * (m + 2);
  double *cells = fill(number, rank), *other = fill(number, 1);
  for (int i = 1; i <= n; ++i)
    for (int j = 1 + (i + color) % 2; j <= m; j += 2)
      cells[i * (m + 2) + j] = NAN;
  cells[1] = cells[2] = 1;
  // Rows of neighbors arrive at any time.
  watch(cells + m + 2, (long)n * (m + 2));
  sweep(makeRows(cells, n, m), makeRows(other, n, m), n, m, color);
  tell(name, cells, number, number);
}

/// A table before which nothing can be read.
static double **makeEdge(double **rows, int n) {
  size_t page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    MPI_Abort(MPI_COMM_WORLD, 1);
  double **edge = (double **)(pages + page);
  for (int i = 1; i < n + 2; ++i)
    edge[i - 1] = rows[i];
  if (mprotect(pages, page, PROT_NONE))
    MPI_Abort(MPI_COMM_WORLD, 1);
  return edge - 1;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  points("black", 20 + argc - 1, 30, 0);
  points("red", 20 + argc - 1, 30, 1);
  points("odd", 6 + argc, 29, 3);
  for (int n = 2; n < 5; ++n)
    for (int m = 0; m < 4; ++m) {
      long number = (long)(n + 2) * (m + 2);
      double *cells = fill(number, rank);
      double **rows = makeRows(cells, n, m);
      watch(NULL, 0);
      // The first row has no point of this color if there is one column.
      narrow(m < 2 ? makeEdge(rows, n) : rows, n, m, m < 2 ? 0 : 1);
      // Negative numbers have the remainder -1: points before the first one.
      if (m > 1)
        narrow(rows, n, m, -2 * n - 1);
      tell("narrow", cells, number, number);
    }
  MPI_Finalize();
}
