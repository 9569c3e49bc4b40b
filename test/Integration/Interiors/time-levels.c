// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two time levels in one array, as in tutorials (`u[2][rows][columns]`): the new one is 1 minus the old one,
// the last bit of the step's number, or that bit inverted. Counts the cells computed while messages are in
// flight.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none -fcomm-known-sources %s %t.early.o -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 2 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 2 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN-COUNT-4: -1 on their way
#include "Inputs/cells.h"

enum { rows = 20, columns = 30, steps = 3 };
typedef double Level[rows + 2][columns + 2];
static Level u[2];
static int up, down;

/// Of the level that the first step computes nothing is a number.
static void clear(Level *v, int empty) {
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < rows + 2; ++i)
      for (int j = 0; j < columns + 2; ++j)
        v[k][i][j] = k == empty ? NAN : (i * 7 + j * 3 + rank * 5) % 11;
  watch(&v[empty][0][0], sizeof(Level) / sizeof(double));
}

static void say(const char *name, Level *v) {
  long found = during();
  double sum = 0;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < rows + 2; ++i)
      for (int j = 0; j < columns + 2; ++j)
        sum += isnan(v[k][i][j]) ? 0 : v[k][i][j] * (i % 5 + j % 3 + k);
  if (!rank)
    printf("%s: %ld on their way, of %d; sum %.17g\n", name, found, rows * columns, sum);
  fflush(stdout);
}

#define STEP(v, now, then)                                                                                             \
  do {                                                                                                                 \
    MPI_Sendrecv(v[now][1], columns + 2, MPI_DOUBLE, up, 1, v[now][rows + 1], columns + 2, MPI_DOUBLE, down, 1,        \
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                                                   \
    MPI_Sendrecv(v[now][rows], columns + 2, MPI_DOUBLE, down, 2, v[now][0], columns + 2, MPI_DOUBLE, up, 2,            \
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                                                   \
    for (int i = 1; i <= rows; ++i)                                                                                    \
      for (int j = 1; j <= columns; ++j)                                                                               \
        v[then][i][j] = 0.25 * (v[now][i - 1][j] + v[now][i + 1][j] + v[now][i][j - 1] + v[now][i][j + 1]);            \
  } while (0)

// CHECK: one minus: {{540|570}} on their way
NOINLINE static void oneMinus(void) {
  int now = 0;
  for (int t = 0; t < steps; ++t) {
    STEP(u, now, 1 - now);
    now = 1 - now;
  }
}

// CHECK: last bit: {{540|570}} on their way
NOINLINE static void lastBit(void) {
  for (int t = 0; t < steps; ++t)
    STEP(u, t % 2, 1 - t % 2);
}

// CHECK: turned: {{540|570}} on their way
NOINLINE static void turned(void) {
  int now = 1;
  for (int t = 0; t < steps; ++t, now ^= 1)
    STEP(u, now, now ^ 1);
}

// CHECK: on the heap: {{540|570}} on their way
NOINLINE static void onHeap(Level *v) {
  int now = 0;
  for (int t = 0; t < steps; ++t, now = 1 - now)
    STEP(v, now, 1 - now);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  clear(u, 1), oneMinus(), say("one minus", u);
  clear(u, 1), lastBit(), say("last bit", u);
  clear(u, 0), turned(), say("turned", u);
  Level *v = malloc(2 * sizeof *v);
  clear(v, 1), onHeap(v), say("on the heap", v);
  MPI_Finalize();
}
