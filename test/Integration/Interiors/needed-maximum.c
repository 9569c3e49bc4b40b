// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in Krylov methods, a vector is computed from a number of all processes, its ghosts are exchanged, and a product
// reads it. The number overlaps something else, and every iteration of the product needs it: the interior stays after
// it, and keeps off the ghosts alone. Counts cells that are computed before the first wait for a ghost.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: rows: 104 before the ghosts
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };

static void say(const char *name, const double *values, int number, double sum) {
  long found = beforeReceive();
  for (int i = 0; i < number; ++i)
    sum += values[i] * (i % 7);
  if (!rank)
    printf("%s: %ld before the ghosts; sum %.17g\n", name, found, sum);
}

INLINE static void exchange(double *top, double *first, double *end, double *bottom, int n) {
  MPI_Request r[4];
  MPI_Irecv(top, n, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(bottom, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(first, n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(end, n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

#define AT(u, i, j) u[(i) * (n + 2) + (j)]

/// Rows 2 to 19.
// CHECK: rows: 644 before the ghosts
NOINLINE static void byRows(double *restrict p, double *restrict q, double *restrict r, double *restrict x, int n,
                            int m) {
  double own = rank + 1, most = 0;
  watch(q, cells);
  for (int step = 0; step < 1; ++step) {
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < cells; ++i)
      x[i] = 0.5 * x[i] + i;
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j)
        AT(p, i, j) = AT(r, i, j) + most * AT(p, i, j);
    exchange(&AT(p, 0, 1), &AT(p, 1, 1), &AT(p, m, 1), &AT(p, m + 1, 1), n);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j)
        AT(q, i, j) = 4 * AT(p, i, j) - AT(p, i - 1, j) - AT(p, i + 1, j) - AT(p, i, j - 1) - AT(p, i, j + 1);
  }
  say("rows", q, cells, x[5]);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *q = fill(cells, rank);
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      q[i * width + j] = NAN;
  byRows(fill(cells, rank), q, fill(cells, 1), fill(cells, 2), columns + argc - 1, rows + argc - 1);
  MPI_Finalize();
}
