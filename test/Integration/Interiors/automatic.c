// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers whose size is known at run time alone live on the stack of the function that exchanges: the function is
// inlined, and the stack pointer is restored after the loop that overlaps with the messages.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-3: 104 before the first wait
#include "Inputs/cells.h"

#include <string.h>

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };
static int left, right;

#define AT(u, i, j) u[(i) * (n + 2) + (j)]

/// The columns of the domain, packed.
static void exchange(double *u, int n, int m) {
  double toLeft[m], toRight[m], fromLeft[m], fromRight[m];
  MPI_Request requests[4];
  memset(fromLeft, 0, sizeof fromLeft);
  memset(fromRight, 0, sizeof fromRight);
  MPI_Irecv(fromLeft, m, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(fromRight, m, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < m; ++i)
    toLeft[i] = AT(u, i + 1, 1), toRight[i] = AT(u, i + 1, n);
  MPI_Isend(toRight, m, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(toLeft, m, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m; ++i)
    AT(u, i + 1, 0) = fromLeft[i], AT(u, i + 1, n + 1) = fromRight[i];
}

static void sweep(double *v, const double *u, int n, int m) {
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = 0.25 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i, j + 1));
}

static void forget(double *v, int n, int m) {
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = NAN;
  watch(v, cells);
}

/// 28 of 30 columns need no ghost cell; 104 cells around the domain are there from the beginning.
// CHECK: once: 664 before the first wait
NOINLINE static void once(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  forget(v, n, m);
  exchange(u, n, m);
  sweep(v, u, n, m);
  tell("once", v, cells, rows * columns);
  free(u), free(v);
}

/// The stack does not grow: each step restores it.
// CHECK: steps: 664 before the first wait
NOINLINE static void steps(int n, int m, int number) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  forget(v, n, m);
  for (int step = 0; step < number; ++step) {
    exchange(u, n, m);
    sweep(v, u, n, m);
    double *old = u;
    u = v, v = old;
  }
  tell("steps", u, cells, rows * columns);
  free(u), free(v);
}

/// What another variable of unknown size holds after the exchange stays there.
// CHECK: variable: {{104|664}} before the first wait
NOINLINE static void variable(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  forget(v, n, m);
  exchange(u, n, m);
  double weights[n + 2];
  for (int j = 0; j < n + 2; ++j)
    weights[j] = 1 + 0.5 * j;
  exchange(u, n, m);
  sweep(v, u, n, m);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) *= weights[j];
  tell("variable", v, cells, rows * columns);
  free(u), free(v);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  left = rank ? rank - 1 : MPI_PROC_NULL;
  right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int n = argc > 1 ? atoi(argv[1]) : columns, m = argc > 2 ? atoi(argv[2]) : rows;
  once(n, m);
  steps(n, m, 20000);
  variable(n, m);
  MPI_Finalize();
  return 0;
}
