// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four fields in one array, with all variables at file scope: clang turns the number of rows, which is set once, into a
// flag, and reloads it in each iteration unless pow is known not to set it. One process is its own neighbor; the sweep
// follows both cases, in a guard that several loops share.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN: planes: 0 before the first wait
#include "Inputs/cells.h"

#define FIELDS 4
#define HALO 2
#define ROWS 100

static int rows, columns, before, after;
static double *state, *flux, *tendency, *toLeft, *toRight, *fromLeft, *fromRight, *background;

#define STATE(f, k, i) ((f) * (rows + 2 * HALO) * (columns + 2 * HALO) + (k) * (columns + 2 * HALO) + (i))
#define FLUX(f, k, i) ((f) * (rows + 1) * (columns + 1) + (k) * (columns + 1) + (i))

static void prepare(int width) {
  rows = ROWS;
  columns = width;
  before = (rank + size - 1) % size;
  after = (rank + 1) % size;
  state = fill(FIELDS * (rows + 2 * HALO) * (columns + 2 * HALO), rank + 1);
  flux = fill(FIELDS * (rows + 1) * (columns + 1), NAN);
  tendency = fill(FIELDS * rows * columns, 0);
  background = fill(rows + 2 * HALO, 2);
  double **buffers[] = {&toLeft, &toRight, &fromLeft, &fromRight};
  for (int i = 0; i < 4; ++i)
    *buffers[i] = fill(FIELDS * rows * HALO, 0);
}

static void exchange(void) {
  if (size == 1) {
    for (int f = 0; f < FIELDS; ++f)
      for (int k = 0; k < rows; ++k)
        for (int s = 0; s < HALO; ++s) {
          state[STATE(f, k + HALO, s)] = state[STATE(f, k + HALO, columns + s)];
          state[STATE(f, k + HALO, columns + HALO + s)] = state[STATE(f, k + HALO, HALO + s)];
        }
    return;
  }
  MPI_Request receives[2], sends[2];
  const int count = FIELDS * rows * HALO;
  MPI_Irecv(fromLeft, count, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &receives[0]);
  MPI_Irecv(fromRight, count, MPI_DOUBLE, after, 1, MPI_COMM_WORLD, &receives[1]);
  for (int f = 0; f < FIELDS; ++f)
    for (int k = 0; k < rows; ++k)
      for (int s = 0; s < HALO; ++s) {
        toLeft[(f * rows + k) * HALO + s] = state[STATE(f, k + HALO, HALO + s)];
        toRight[(f * rows + k) * HALO + s] = state[STATE(f, k + HALO, columns + s)];
      }
  MPI_Isend(toLeft, count, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(toRight, count, MPI_DOUBLE, after, 0, MPI_COMM_WORLD, &sends[1]);
  MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
  for (int f = 0; f < FIELDS; ++f)
    for (int k = 0; k < rows; ++k)
      for (int s = 0; s < HALO; ++s) {
        state[STATE(f, k + HALO, s)] = fromLeft[(f * rows + k) * HALO + s];
        state[STATE(f, k + HALO, columns + HALO + s)] = fromRight[(f * rows + k) * HALO + s];
      }
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
}

static void sweep(void) {
  for (int k = 0; k < rows; ++k)
    for (int i = 0; i < columns + 1; ++i) {
      double value[FIELDS];
      for (int f = 0; f < FIELDS; ++f) {
        double stencil[4];
        for (int s = 0; s < 4; ++s)
          stencil[s] = state[STATE(f, k + HALO, i + s)];
        value[f] = (7 * (stencil[1] + stencil[2]) - stencil[0] - stencil[3]) / 12;
      }
      double density = value[0] + background[k + HALO], pressure = pow(density + value[3], 1.4);
      for (int f = 0; f < FIELDS; ++f)
        flux[FLUX(f, k, i)] = value[f] * value[1] / density + (f == 1 ? pressure : 0);
    }
  for (int f = 0; f < FIELDS; ++f)
    for (int k = 0; k < rows; ++k)
      for (int i = 0; i < columns; ++i)
        tendency[(f * rows + k) * columns + i] = flux[FLUX(f, k, i)] - flux[FLUX(f, k, i + 1)];
}

/// Of the 41 fluxes of each row those from the third to the third from last need no ghost column, in each field.
// CHECK: planes: 14800 before the first wait, of 16400
int main(int argc, char **argv) {
  begin(&argc, &argv);
  prepare(40 + argc - 1);
  const int number = FIELDS * (rows + 1) * (columns + 1);
  watch(flux, number);
  for (int step = 0; step < 3; ++step) {
    exchange();
    sweep();
    for (int f = 0; f < FIELDS; ++f)
      for (int k = 0; k < rows; ++k)
        for (int i = 0; i < columns; ++i)
          state[STATE(f, k + HALO, i + HALO)] += 0.001 * tendency[(f * rows + k) * columns + i];
  }
  tell("planes", flux, number, FIELDS * rows * (columns + 1));
  MPI_Finalize();
}
