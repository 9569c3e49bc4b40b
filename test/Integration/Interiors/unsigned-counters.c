// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes without a sign in a structure, which the optimizer loads in each iteration: the loop stores characters, which
// may be anywhere. Comm loads them before the loop. `i <= rows` then has a trip count because the loop ends (C11,
// 6.8.5). Counts cells that are computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %commcc -O3 -fcomm-cost=none %s %t.early.o -lm -o %t.o3
// RUN: %mpirun -n 2 %t.o3 | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-2: 104 before the first wait
// Loops that need not end have no trip count.
// RUN: %commcc -O2 -fcomm-cost=none -fno-finite-loops -Rcomm %s %t.early.o -lm -o %t 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: waits as a whole: it may exit early, or has an unknown trip count
#include "Inputs/cells.h"

#include <stdint.h>

enum { rows = 20, columns = 30, cells = (rows + 2) * (columns + 2) };

typedef struct {
  double *now, *then;
  uint8_t *isWarm;
  unsigned rows, columns;
  size_t width;
  MPI_Comm comm;
} Grid;

#define AT(g, u, i, j) (g)->u[(size_t)(i) * (g)->width + (j)]

/// Cells of the interior are not computed yet.
INLINE static void makeGrid(Grid *g, int argc) {
  MPI_Comm_dup(MPI_COMM_WORLD, &g->comm); // for the optimizer, MPI knows the structure now
  g->rows = rows + argc - 1, g->columns = columns + argc - 1, g->width = g->columns + 2;
  g->now = fill(cells, rank), g->then = fill(cells, rank), g->isWarm = calloc(cells, 1);
  for (unsigned i = 1; i <= rows; ++i)
    for (unsigned j = 1; j <= columns; ++j)
      g->then[i * (columns + 2) + j] = NAN;
  watch(g->then, cells);
}

INLINE static void exchange(Grid *g) {
  MPI_Request r[4];
  MPI_Irecv(&AT(g, now, 0, 1), g->columns, MPI_DOUBLE, last, 0, g->comm, &r[0]);
  MPI_Irecv(&AT(g, now, g->rows + 1, 1), g->columns, MPI_DOUBLE, next, 1, g->comm, &r[1]);
  MPI_Isend(&AT(g, now, 1, 1), g->columns, MPI_DOUBLE, last, 1, g->comm, &r[2]);
  MPI_Isend(&AT(g, now, g->rows, 1), g->columns, MPI_DOUBLE, next, 0, g->comm, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

#define STENCIL(g, i, j)                                                                                               \
  (0.25 * (AT(g, now, i - 1, j) + AT(g, now, i + 1, j) + AT(g, now, i, j - 1) + AT(g, now, i, j + 1)))

// CHECK: unsigned: 644 before the first wait, of 600
NOINLINE static void byInt(int argc) {
  Grid g;
  makeGrid(&g, argc);
  for (int step = 0; step < 2; ++step) {
    exchange(&g);
    for (unsigned i = 1; i <= g.rows; ++i)
      for (unsigned j = 1; j <= g.columns; ++j) {
        AT(&g, then, i, j) = STENCIL(&g, i, j);
        AT(&g, isWarm, i, j) = AT(&g, then, i, j) > 5;
      }
    double *old = g.now;
    g.now = g.then, g.then = old;
  }
  tell("unsigned", g.now, cells, rows * columns);
}

// CHECK: size_t: 644 before the first wait, of 600
NOINLINE static void bySize(int argc) {
  Grid g;
  makeGrid(&g, argc);
  for (int step = 0; step < 2; ++step) {
    exchange(&g);
    for (size_t i = 1; i <= g.rows; ++i)
      for (size_t j = 1; j <= g.columns; ++j) {
        AT(&g, then, i, j) = STENCIL(&g, i, j);
        AT(&g, isWarm, i, j) = AT(&g, then, i, j) > 5;
      }
    double *old = g.now;
    g.now = g.then, g.then = old;
  }
  tell("size_t", g.now, cells, rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  byInt(argc);
  bySize(argc);
  MPI_Finalize();
}
