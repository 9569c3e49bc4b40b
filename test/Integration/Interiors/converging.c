// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first version of most programs: a sweep that also computes the change, the exchange at its end, and a convergence
// test; blocking messages in branches, with everything at file scope or in rows of `double **`; ghost rows in separate
// arrays. Counts the cells computed while messages are in flight, on the first process.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none -fcomm-known-sources %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-11: -1 on their way
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };
static int up, down;

static void say(const char *name, const double *values, double change) {
  long found = during();
  double sum = change;
  for (int i = 0; i < cells; ++i)
    sum += isnan(values[i]) ? 0 : values[i] * (i % 7);
  if (!rank)
    printf("%s: %ld on their way, of %d; sum %.17g\n", name, found, rows * columns, sum);
  fflush(stdout);
}

#define AT(u, i, j) u[(i) * (n + 2) + (j)]
#define STENCIL(u, i, j) (0.25 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i, j + 1)))

INLINE static void exchange(double *u, int n, int m) {
  MPI_Sendrecv(&AT(u, 1, 1), n, MPI_DOUBLE, up, 1, &AT(u, m + 1, 1), n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&AT(u, m, 1), n, MPI_DOUBLE, down, 2, &AT(u, 0, 1), n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/// 18 of 20 rows are not sent.
// CHECK: swap: {{540|570}} on their way, of 600
NOINLINE static void swapAtEnd(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, rank), change = 0, all = 1;
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(v, i, j) = NAN;
  watch(v, cells);
  for (int step = 0; step < 3 && all > 1e-9; ++step) {
    change = 0;
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j) {
        AT(v, i, j) = STENCIL(u, i, j);
        double now = fabs(AT(v, i, j) - AT(u, i, j));
        if (now > change)
          change = now;
      }
    double *old = u;
    u = v, v = old;
    exchange(u, n, m);
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  say("swap", u, all);
}

/// Two loops: copied values are sent, and two rows at either end precede that.
// CHECK: copy: 480 on their way, of 600
NOINLINE static void copyAtEnd(int n, int m) {
  double *restrict u = fill(cells, rank), *restrict v = fill(cells, NAN), change = 0, all = 1;
  watch(v, cells);
  for (int step = 0; step < 3 && all > 1e-9; ++step) {
    change = 0;
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j) {
        AT(v, i, j) = STENCIL(u, i, j);
        change = fmax(change, fabs(AT(v, i, j) - AT(u, i, j)));
      }
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j)
        AT(u, i, j) = AT(v, i, j);
    exchange(u, n, m);
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  say("copy", u, all);
}

/// A flag in place of a maximum, before a sweep that waits.
// CHECK: flag: {{540|570}} on their way, of 600
NOINLINE static void flagAtEnd(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, NAN);
  int done = 0, all = 0;
  watch(v, cells);
  for (int step = 0; step < 1 && !all; ++step) {
    done = 1;
    exchange(u, n, m);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j) {
        AT(v, i, j) = STENCIL(u, i, j);
        if (fabs(AT(v, i, j) - AT(u, i, j)) > 1e-9)
          done = 0;
      }
    MPI_Allreduce(&done, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  }
  say("flag", v, all);
}

static double **makeRows(double *values) {
  double **row = malloc(sizeof *row * (rows + 2));
  for (int i = 0; i < rows + 2; ++i)
    row[i] = values + i * width;
  return row;
}

/// The same with rows.
// CHECK: rows: {{540|570}} on their way, of 600
NOINLINE static void rowsAtEnd(int n, int m) {
  double *field = fill(cells, NAN), **u = makeRows(fill(cells, rank)), **v = makeRows(field), change = 0;
  watch(field, cells);
  for (int step = 0; step < 1; ++step) {
    change = 0;
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j) {
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        change = fmax(change, fabs(v[i][j] - u[i][j]));
      }
    MPI_Sendrecv(&v[1][1], n, MPI_DOUBLE, up, 1, &v[m + 1][1], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&v[m][1], n, MPI_DOUBLE, down, 2, &v[0][1], n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  say("rows", field, change);
}

/// Blocking messages in branches, and all that they need at file scope: the first process waits for one row.
int number, n, m;
double *now, *then;
// CHECK: file scope: {{540|570}} on their way, of 600
NOINLINE static void inBranches(void) {
  if (number > 0) {
    MPI_Send(&AT(now, 1, 1), n, MPI_DOUBLE, number - 1, 1, MPI_COMM_WORLD);
    MPI_Recv(&AT(now, 0, 1), n, MPI_DOUBLE, number - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (number < size - 1) {
    MPI_Recv(&AT(now, m + 1, 1), n, MPI_DOUBLE, number + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&AT(now, m, 1), n, MPI_DOUBLE, number + 1, 2, MPI_COMM_WORLD);
  }
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      AT(then, i, j) = STENCIL(now, i, j);
}

/// The same with rows, whose addresses are loaded in the branches.
// CHECK: rows in branches: {{540|570}} on their way, of 600
NOINLINE static void rowsInBranches(double **u, double **v, int n, int m) {
  if (rank > 0) {
    MPI_Send(&u[1][1], n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    MPI_Recv(&u[0][1], n, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank < size - 1) {
    MPI_Recv(&u[m + 1][1], n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&u[m][1], n, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
  }
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

/// Ghost rows elsewhere, which the number of the row chooses.
// CHECK: chosen: {{540|570}} on their way, of 600
NOINLINE static void chosen(double *restrict v, double *restrict u, double *restrict above, double *restrict below,
                            int n, int m) {
  MPI_Sendrecv(u, n, MPI_DOUBLE, up, 1, below, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + (m - 1) * n, n, MPI_DOUBLE, down, 2, above, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = (i == 0 ? above[j] : u[(i - 1) * n + j]) - (i < m - 1 ? u[(i + 1) * n + j] : below[j]);
}

/// Two planes in turn, by a table of pointers, and rows from a quotient without a sign.
// CHECK: turns: {{540|570}} on their way, of 600
NOINLINE static void turns(double **field, int which, size_t all, int parts) {
  long m = all / parts, n = m * columns / rows;
  double *u = field[which];
  MPI_Sendrecv(&AT(u, 1, 1), n, MPI_DOUBLE, up, 1, &AT(u, m + 1, 1), n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&AT(u, m, 1), n, MPI_DOUBLE, down, 2, &AT(u, 0, 1), n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (long i = 1; i <= m; ++i)
    for (long j = 1; j <= n; ++j)
      AT(field[1 - which], i, j) = STENCIL(field[which], i, j);
}

/// The order of this maximum counts: the parts of the rows follow each other.
// CHECK: larger: {{540|570}} on their way, of 600
NOINLINE static void largerAtEnd(int n, int m) {
  double *restrict u = fill(cells, rank), *restrict v = fill(cells, NAN), change = 0;
  watch(v, cells);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      AT(v, i, j) = STENCIL(u, i, j);
      double now = fabs(AT(v, i, j) - AT(u, i, j));
      change = change > now ? change : now;
    }
  exchange(v, n, m);
  say("larger", v, change);
}

/// The same where the exchange comes first.
// CHECK: larger after: {{540|570}} on their way, of 600
NOINLINE static void largerAtBegin(int n, int m) {
  double *restrict u = fill(cells, rank), *restrict v = fill(cells, NAN), change = 0;
  watch(v, cells);
  exchange(u, n, m);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      AT(v, i, j) = STENCIL(u, i, j);
      double now = fabs(AT(v, i, j) - AT(u, i, j));
      change = change > now ? change : now;
    }
  say("larger after", v, change);
}

/// A sum that rounds is finished first. (A ghost row may have come.)
// CHECK: sum: {{0|30}} on their way, of 600
NOINLINE static void sumAtEnd(int n, int m) {
  double *u = fill(cells, rank), *v = fill(cells, NAN), change = 0;
  watch(v, cells);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      AT(v, i, j) = STENCIL(u, i, j);
      change += fabs(AT(v, i, j) - AT(u, i, j));
    }
  exchange(v, n, m);
  say("sum", v, change);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  n = argc > 1 ? atoi(argv[1]) : columns, m = argc > 2 ? atoi(argv[2]) : rows;
  swapAtEnd(n, m);
  copyAtEnd(n, m);
  flagAtEnd(n, m);
  rowsAtEnd(n, m);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  now = fill(cells, rank), then = fill(cells, NAN);
  watch(then, cells);
  inBranches();
  say("file scope", then, 0);
  double *v = fill(cells, NAN);
  watch(v, cells);
  rowsInBranches(makeRows(fill(cells, rank)), makeRows(v), n, m);
  say("rows in branches", v, 0);
  v = fill(cells, NAN);
  watch(v, cells);
  chosen(v, fill(cells, rank), fill(cells, rank), fill(cells, rank), n, m);
  say("chosen", v, 0);
  v = fill(cells, NAN);
  double *field[] = {v, fill(cells, rank)};
  watch(v, cells);
  turns(field, argc > 3 ? 0 : 1, (size_t)m * size, size);
  say("turns", v, 0);
  largerAtEnd(n, m);
  largerAtBegin(n, m);
  sumAtEnd(n, m);
  MPI_Finalize();
}
