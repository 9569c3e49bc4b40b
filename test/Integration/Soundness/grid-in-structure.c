// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A grid in a structure on the heap: its sizes and pointers are reloaded after each exchange, those of inner loops in
// each iteration of the outer ones. They equal the values from before the exchange if nothing has written them.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Irecv at"
// RUN: FileCheck %s < %t.extended.remarks
// RUN: %commcc -O2 -g -fcomm-check %s -o %t.checked
// RUN: %mpirun -n 2 %t.checked 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: comm: error
// CHECKED: rank
// CHECKED-NOT: comm: error
#include "Inputs/cells.h"

typedef struct {
  int rows, columns, layers, turn, last, next;
  MPI_Datatype row, column;
  double *now, *then;
} Grid;

NOINLINE static long sum(const Grid *g) {
  int cells = (g->rows + 2) * (g->columns + 2);
  return digits(g->now, cells) + digits(g->then, cells);
}

static Grid *makeGrid(int rows, int columns, int seed) {
  Grid *g = malloc(sizeof *g);
  g->rows = rows, g->columns = columns, g->layers = 2, g->turn = 0;
  int length = columns + 2, processes = size, periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &processes, &periodic, 0, &ring);
  MPI_Cart_shift(ring, 0, 1, &g->last, &g->next);
  MPI_Comm_free(&ring);
  MPI_Type_vector(rows, 1, length, MPI_DOUBLE, &g->column);
  MPI_Type_contiguous(columns, MPI_DOUBLE, &g->row);
  MPI_Type_commit(&g->column);
  MPI_Type_commit(&g->row);
  g->now = make((rows + 2) * length, seed), g->then = make((rows + 2) * length, seed + 1);
  return g;
}

static void freeGrid(Grid *g) {
  MPI_Type_free(&g->column);
  MPI_Type_free(&g->row);
  free(g->now), free(g->then), free(g);
}

#define AT(i, j) ((i) * (g->columns + 2) + (j))

static void exchange(Grid *g) {
  MPI_Request q[8];
  double *u = g->now;
  MPI_Irecv(u + AT(0, 1), 1, g->row, g->last, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(u + AT(g->rows + 1, 1), 1, g->row, g->next, 1, MPI_COMM_WORLD, &q[1]);
  MPI_Irecv(u + AT(1, 0), 1, g->column, g->last, 2, MPI_COMM_WORLD, &q[2]);
  MPI_Irecv(u + AT(1, g->columns + 1), 1, g->column, g->next, 3, MPI_COMM_WORLD, &q[3]);
  MPI_Isend(u + AT(1, 1), 1, g->row, g->last, 1, MPI_COMM_WORLD, &q[4]);
  MPI_Isend(u + AT(g->rows, 1), 1, g->row, g->next, 0, MPI_COMM_WORLD, &q[5]);
  MPI_Isend(u + AT(1, 1), 1, g->column, g->last, 3, MPI_COMM_WORLD, &q[6]);
  MPI_Isend(u + AT(1, g->columns), 1, g->column, g->next, 2, MPI_COMM_WORLD, &q[7]);
  MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
}

/// Only the messages intervene, and these are not part of the structure.
// CHECK-DAG: .c:[[#@LINE+5]]:{{.*}} splits the loop {{.*}} iterations of 2 nested loops
NOINLINE static void kept(int rows, int columns, int turns) {
  Grid *g = makeGrid(rows, columns, 3);
  for (; g->turn < turns; ++g->turn) {
    exchange(g);
    for (int i = 1; i <= g->rows; ++i)
      for (int j = 1; j <= g->columns; ++j)
        g->then[AT(i, j)] = g->now[AT(i - 1, j)] + g->now[AT(i, j - 1)] - g->now[AT(i + 1, j)] + g->now[AT(i, j + 1)];
    double *swap = g->now;
    g->now = g->then, g->then = swap;
  }
  say("kept", sum(g));
  freeGrid(g);
}

/// The number of layers arrives.
NOINLINE static void received(int rows, int columns) {
  Grid *g = makeGrid(rows, columns, 5);
  exchange(g);
  int more = g->layers + columns % 3;
  nap(20 * (rank == 0));
  MPI_Sendrecv(&more, 1, MPI_INT, g->next, 4, &g->layers, 1, MPI_INT, g->last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= g->rows; ++i)
    for (int j = 1; j <= g->columns; ++j)
      for (int k = 1; k <= g->layers; ++k)
        g->then[AT(i, j)] += k * g->now[AT(i, j)] - k;
  say("layers", g->layers);
  say("received", sum(g));
  freeGrid(g);
}

/// The loop changes it.
NOINLINE static void changed(int rows, int columns, const int *layers) {
  Grid *g = makeGrid(rows, columns, 7);
  g->layers += columns % 2;
  exchange(g);
  long before = g->layers;
  for (int i = 1; i <= g->rows; ++i)
    for (int j = 1; j <= g->columns; ++j) {
      for (int k = 1; k <= g->layers; ++k)
        g->then[AT(i, j)] += k * g->now[AT(i, j)] - k;
      if (layers[(i + j) % 8])
        g->layers = layers[(i + j) % 8];
    }
  say("layers", g->layers + 10 * before);
  say("changed", sum(g));
  freeGrid(g);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  const int layers[] = {0, 0, 3, 0, 1, 0, 0, 2};
  for (int rows = 0; rows < 5; ++rows)
    for (int columns = 0; columns < 9; columns += 1 + columns / 3) {
      kept(rows + 1, columns + 1, 3);
      received(rows + 1, columns + 1);
      changed(rows + 1, columns + 1, layers);
    }
  MPI_Finalize();
  return 0;
}
