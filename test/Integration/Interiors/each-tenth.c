// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test and output in each tenth step, between a sweep and the loop that copies its results back: the copy overlaps in
// all other steps. Where the branch is entered, it sees what it would see without Comm.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none -Rcomm %s %t.early.o -lm -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %mpirun -n 2 %t | grep before | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 4 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t 1 2 20 | sed "s/: .* sum/: sum/" > %t.sums
// RUN: %mpirun -n 2 %t.plain 1 2 20 | sed "s/: .* sum/: sum/" | diff - %t.sums
// RUN: %mpirun -n 2 %t 30 3 30 | sed "s/: .* sum/: sum/" > %t.sums
// RUN: %mpirun -n 2 %t.plain 30 3 30 | sed "s/: .* sum/: sum/" | diff - %t.sums
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };
static int up, down;

#define AT(u, i, j) u[(i) * (n + 2) + (j)]

INLINE static void exchange(double *u, int n, int m) {
  MPI_Sendrecv(&AT(u, 1, 1), n, MPI_DOUBLE, up, 1, &AT(u, m + 1, 1), n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&AT(u, m, 1), n, MPI_DOUBLE, down, 2, &AT(u, 0, 1), n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

INLINE static void sweep(double *v, const double *u, int n, int m) {
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = 0.25 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i, j + 1));
}

INLINE static void copy(double *u, const double *v, int n, int m) {
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(u, i, j) = AT(v, i, j);
}

INLINE static void forget(double *w) {
  for (int i = 0; i < cells; ++i)
    w[i] = NAN;
  watch(w, cells);
}

/// In the second step, 18 of 20 rows are swept before the first wait, and 16 rows of them copied. In steps with a test
/// nothing is copied before.
// REMARK-DAG: splits the loop at each-tenth.c:[[#@LINE-19]]
// REMARK-DAG: splits the loop at each-tenth.c:[[#@LINE-14]]
// CHECK: each tenth: {{540|570}} before the first wait
// CHECK: each: 0 before the first wait
NOINLINE static void tested(const char *name, double *u, double *v, double *w, int n, int m, int steps, int each) {
  double all = 0;
  for (int step = 0; step < steps; ++step) {
    if (step == 1)
      forget(w);
    exchange(u, n, m);
    sweep(v, u, n, m);
    if (step % each == 0) {
      double largest = 0;
      for (int i = 1; i <= m; ++i)
        for (int j = 1; j <= n; ++j)
          largest = fmax(largest, isnan(AT(w, i, j)) ? 0 : fabs(AT(v, i, j) - AT(w, i, j)));
      MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (!rank)
        printf("step %d: largest; sum %.17g\n", step, all);
      if (all > 1e9)
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    copy(w, v, n, m);
    if (step % 2)
      copy(u, w, n, m);
  }
  tell(name, w, cells, rows * columns);
}

/// Nothing but a reduction, which could also overlap with a copy of the loop in its arm.
// CHECK: reduced: {{540|570}} before the first wait
NOINLINE static void reduced(double *u, double *v, double *w, int n, int m, int steps, int each) {
  double all = 0;
  for (int step = 0; step < steps; ++step) {
    if (step == 1)
      forget(w);
    exchange(u, n, m);
    sweep(v, u, n, m);
    if (step % each == 0) {
      double largest = 0;
      for (int i = 1; i <= m; ++i)
        for (int j = 1; j <= n; ++j)
          largest = AT(v, i, j) > largest ? AT(v, i, j) : largest;
      MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    copy(w, v, n, m);
    if (step % 2)
      copy(u, w, n, m);
  }
  w[0] = all;
  tell("reduced", w, cells, rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int n = argc > 1 ? atoi(argv[1]) : columns, m = argc > 2 ? atoi(argv[2]) : rows;
  int each = argc > 3 ? atoi(argv[3]) : 10;
  double *u = fill(cells, rank), *v = fill(cells, rank), *w = fill(cells, rank);
  tested("each tenth", u, v, w, n, m, 25, each);
  tested("each", u, v, w, n, m, 3, each / 10);
  reduced(u, v, w, n, m, 25, each);
  MPI_Finalize();
  return 0;
}
