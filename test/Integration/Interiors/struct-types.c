// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells as structures with a datatype of their own, whose layout the runtime knows. A loop that wraps the columns
// around comes between the question about it and the messages. The part of the next cells that is computed before the
// first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 4 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 4 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: wrapped: -1 before the first wait
#include "Inputs/cells.h"

#include <stddef.h>

typedef struct {
  double density, x, energy;
} Cell;

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };

/// 18 of 20 rows with three numbers each; 312 numbers are there from the beginning.
// CHECK: wrapped: 1932 before the first wait
NOINLINE static void wrapped(int n, int m, int steps) {
  int lengths[3] = {1, 1, 1}, w = n + 2;
  MPI_Aint places[3] = {offsetof(Cell, density), offsetof(Cell, x), offsetof(Cell, energy)};
  MPI_Datatype types[3] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE}, type;
  MPI_Type_create_struct(3, lengths, places, types, &type);
  MPI_Type_commit(&type);
  Cell *now = (Cell *)fill(cells * 3, rank), *then = (Cell *)fill(cells * 3, rank);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      then[i * w + j].density = then[i * w + j].x = then[i * w + j].energy = NAN;
  watch((double *)then, cells * 3);
  for (int step = 0; step < steps; ++step) {
    for (int i = 1; i <= m; ++i) {
      now[i * w] = now[i * w + n];
      now[i * w + n + 1] = now[i * w + 1];
    }
    MPI_Sendrecv(&now[m * w], w, type, next, 1, &now[0], w, type, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now[w], w, type, last, 2, &now[(m + 1) * w], w, type, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= m; ++i)
      for (int j = 1; j <= n; ++j) {
        const Cell *c = &now[i * w + j];
        then[i * w + j].density = c->density - 0.1 * (c[1].x - c[-1].x + c[w].x - c[-w].x);
        then[i * w + j].x = 0.25 * (c[1].density + c[-1].density + c[w].energy + c[-w].energy);
        then[i * w + j].energy = c->energy + 0.01 * (c[1].density - c[w].x);
      }
    Cell *old = now;
    now = then, then = old;
  }
  tell("wrapped", (const double *)now, cells * 3, rows * columns * 3);
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  wrapped(argc > 1 ? atoi(argv[1]) : columns, argc > 2 ? atoi(argv[2]) : rows, 3);
  MPI_Finalize();
  return 0;
}
