// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ghost columns on each side, packed and unpacked with a counter that continues (`buffer[n++]`): LLVM unrolls the
// inner loops, and the counter is widened and narrowed in each iteration. Buffers and arrays are members of a structure
// on the heap. Counts cells that are computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: pairs: 80 before the first wait
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, ghosts = 2, width = columns + 2 * ghosts, cells = rows * width };

typedef struct {
  int left, right;
  struct {
    double *sendLeft, *sendRight, *fromLeft, *fromRight;
    int count;
  } halo;
  struct {
    int columns, rows;
    size_t stride;
    double *now, *then;
  } grid;
} Simulation;

INLINE static void pack(Simulation *s) {
  int n = 0;
  for (int i = 0; i < s->grid.rows; i++)
    for (int g = 0; g < ghosts; g++) {
      s->halo.sendLeft[n] = s->grid.now[i * s->grid.stride + ghosts + g];
      s->halo.sendRight[n] = s->grid.now[i * s->grid.stride + s->grid.columns + g];
      n++;
    }
}

INLINE static void unpack(Simulation *s) {
  double *u = s->grid.now;
  int n = 0;
  for (int i = 0; i < s->grid.rows; i++)
    for (int g = 0; g < ghosts; g++) {
      u[i * s->grid.stride + g] = s->halo.fromLeft[n];
      u[i * s->grid.stride + s->grid.columns + ghosts + g] = s->halo.fromRight[n];
      n++;
    }
}

INLINE static void exchange(Simulation *s) {
  MPI_Request r[4];
  pack(s);
  MPI_Irecv(s->halo.fromLeft, s->halo.count, MPI_DOUBLE, s->left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(s->halo.fromRight, s->halo.count, MPI_DOUBLE, s->right, 2, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(s->halo.sendLeft, s->halo.count, MPI_DOUBLE, s->left, 2, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(s->halo.sendRight, s->halo.count, MPI_DOUBLE, s->right, 1, MPI_COMM_WORLD, &r[3]);
  for (int i = 0; i < 4; i++)
    MPI_Wait(&r[i], MPI_STATUS_IGNORE);
  unpack(s);
}

INLINE static void sweep(Simulation *s) {
  for (int i = 0; i < s->grid.rows; i++) {
    const double *row = s->grid.now + i * s->grid.stride;
    double *out = s->grid.then + i * s->grid.stride;
    for (int j = ghosts; j < s->grid.columns + ghosts; j++)
      out[j] = row[j] - 0.1 * (row[j - 2] - 4 * row[j - 1] + 6 * row[j] - 4 * row[j + 1] + row[j + 2]);
  }
}

/// Two columns on each side wait; 80 cells are ghosts.
// CHECK: pairs: 600 before the first wait, of 600
NOINLINE static void pairs(Simulation *s) {
  watch(s->grid.then, cells);
  for (int step = 0; step < 2; ++step) {
    exchange(s);
    sweep(s);
  }
  tell("pairs", s->grid.then, cells, rows * columns);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  Simulation *s = calloc(1, sizeof *s);
  s->left = last, s->right = next;
  s->grid.columns = columns + argc - 1, s->grid.rows = rows + argc - 1, s->grid.stride = width;
  s->grid.now = fill(cells, rank), s->grid.then = fill(cells, NAN);
  for (int i = 0; i < cells; ++i)
    if (i % width < ghosts || i % width >= columns + ghosts)
      s->grid.then[i] = i;
  s->halo.count = ghosts * s->grid.rows;
  s->halo.sendLeft = fill(s->halo.count, 0), s->halo.sendRight = fill(s->halo.count, 0);
  s->halo.fromLeft = fill(s->halo.count, 0), s->halo.fromRight = fill(s->halo.count, 0);
  pairs(s);
  MPI_Finalize();
}
