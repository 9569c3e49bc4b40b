// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exchange with buffers of a size that is known at run time alone, in a file of its own: with -flto it is inlined
// into its callers, as it is within one file (automatic.c).
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none -flto -DEXCHANGE -c %s -o %t.exchange.o
// RUN: %commcc -O2 -fcomm-cost=none -flto -c %s -o %t.main.o
// RUN: %commcc -O2 -fcomm-cost=none -flto %t.main.o %t.exchange.o %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 -DEXCHANGE -c %s -o %t.exchange.o
// RUN: %mpicc -O2 %s %t.exchange.o %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-2: 104 before the first wait
#include "Inputs/cells.h"

#include <string.h>

enum { rows = 20, columns = 30, cells = (rows + 2) * (columns + 2) };

#define AT(u, i, j) u[(i) * (n + 2) + (j)]

/// The columns of the domain, packed.
void exchange(double *u, int n, int m, int left, int right);

#ifdef EXCHANGE
void exchange(double *u, int n, int m, int left, int right) {
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
#else
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
NOINLINE static void once(int n, int m, int left, int right) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  forget(v, n, m);
  exchange(u, n, m, left, right);
  sweep(v, u, n, m);
  tell("once", v, cells, rows * columns);
  free(u), free(v);
}

/// The stack does not grow: each step restores it.
// CHECK: steps: {{104|664}} before the first wait
NOINLINE static void steps(int n, int m, int left, int right, int number) {
  double *u = fill(cells, rank), *v = fill(cells, rank);
  forget(v, n, m);
  for (int step = 0; step < number; ++step) {
    exchange(u, n, m, left, right);
    sweep(v, u, n, m);
    double *old = u;
    u = v, v = old;
  }
  tell("steps", u, cells, rows * columns);
  free(u), free(v);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int n = argc > 1 ? atoi(argv[1]) : columns, m = argc > 2 ? atoi(argv[2]) : rows;
  once(n, m, left, right);
  steps(n, m, left, right, 20000);
  MPI_Finalize();
  return 0;
}
#endif
