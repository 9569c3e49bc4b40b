// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of all processes between the exchange and the loop that needs both: ranks of pages, with those that lead
// nowhere; own values that a table chooses. The loop that adds up loads its pointers and sizes after the wait. The part
// of the result that is computed before the first wait for a message.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none -fcomm-uniform-collectives %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 4 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: pages: 0 before the first wait
#include "Inputs/cells.h"

typedef struct {
  int n, side, neighbor[2], *begin, *link, *numLinks, *border[2];
  double *sent[2];
} Pages;

static void tellReceived(const char *name, const double *cells, int n) {
  long before = beforeReceive();
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += cells[i] * (i % 7 + 1);
  if (!rank)
    printf("%s: %ld before the first wait, of %d; sum %.17g\n", name, before, n, sum);
  if (!rank)
    fflush(stdout);
}

/// The last 10 of 100 pages have links from the neighbor.
// CHECK: pages: 90 before the first wait, of 100
NOINLINE static void pages(Pages *p, double *x, double *y, int steps) {
  for (int step = 0; step < steps; ++step) {
    MPI_Request r[4];
    for (int side = 0; side < 2; ++side)
      MPI_Irecv(x + p->n + side * p->side, p->side, MPI_DOUBLE, p->neighbor[side], 0, MPI_COMM_WORLD, &r[side]);
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < p->side; ++i)
        p->sent[side][i] = x[p->border[side][i]];
      MPI_Isend(p->sent[side], p->side, MPI_DOUBLE, p->neighbor[side], 0, MPI_COMM_WORLD, &r[2 + side]);
    }
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    double nowhere = 0, all;
    for (int i = 0; i < p->n; ++i)
      if (p->numLinks[i] == 0)
        nowhere += x[i];
    MPI_Allreduce(&nowhere, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < p->n; ++i) {
      double sum = 0;
      for (int k = p->begin[i]; k < p->begin[i + 1]; ++k)
        sum += x[p->link[k]];
      y[i] = 0.15 / p->n + 0.85 * (sum + all / p->n);
    }
    double *old = x;
    x = y, y = old;
  }
}

typedef struct {
  int *numbers, n;
} Chosen;

/// The table by which the sum chooses arrives itself.
// CHECK: arrives:
NOINLINE static void arrives(Chosen *c, int *sent, double *x, double *y, int n) {
  MPI_Sendrecv(sent, n, MPI_INT, next, 1, c->numbers, n, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double own = 0, all;
  for (int i = 0; i < c->n; ++i)
    if (c->numbers[i] % 3)
      own += x[i];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * all;
}

/// The size of the loop that adds up arrives, and the pointer is handed over by the loop that unpacks it.
typedef struct {
  int n, other;
} Size;
// CHECK: sized:
NOINLINE static void sized(Size *s, const Size *sent, double **tables, double *x, double *y, int n) {
  MPI_Sendrecv(sent, 2, MPI_INT, next, 2, s, 2, MPI_INT, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double own = 0, all;
  const double *table = tables[s->other];
  for (int i = 0; i < s->n; ++i)
    if (table[i] > 3)
      own += x[i];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * all;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int n = 100 + argc - 1, side = 10;
  Pages p = {n, side, {rank ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL}};
  p.begin = malloc((n + 1) * sizeof(int)), p.link = malloc(5 * n * sizeof(int)), p.numLinks = malloc(n * sizeof(int));
  int k = 0;
  for (int i = 0; i < n; ++i) {
    p.begin[i] = k;
    p.link[k++] = i;
    if (i >= side || rank)
      p.link[k++] = i >= side ? i - side : n + i;
    if (i < n - side || rank + 1 < size)
      p.link[k++] = i < n - side ? i + side : 2 * side + i;
    p.numLinks[i] = i % 7;
  }
  p.begin[n] = k;
  for (int d = 0; d < 2; ++d) {
    p.sent[d] = fill(side, 0);
    p.border[d] = malloc(side * sizeof(int));
    for (int i = 0; i < side; ++i)
      p.border[d][i] = d ? n - side + i : i;
  }
  double *x = fill(n + 2 * side, rank), *y = fill(n + 2 * side, NAN);
  watch(y, n), pages(&p, x, y, 2), tellReceived("pages", x, n);
  int *numbers = malloc(n * sizeof(int)), *sent = malloc(n * sizeof(int));
  for (int i = 0; i < n; ++i)
    numbers[i] = 0, sent[i] = i + rank;
  Chosen c = {numbers, n};
  arrives(&c, sent, x, y, n), tellReceived("arrives", y, n);
  Size size_ = {0, 0}, mine = {50 + rank, 1};
  double *tables[2] = {fill(n, 0), fill(n, 1)};
  sized(&size_, &mine, tables, x, y, n), tellReceived("sized", y, n);
  MPI_Finalize();
}
