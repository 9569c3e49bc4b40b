// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels of one array, with numbers that select the old and the new one: in some steps both are equal, or the new one
// is neither of two, so that iterations depend on each other and ghost rows are written.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
#include "Inputs/cells.h"

enum { rows = 8, columns = 6, levels = 4, turns = 6 };
typedef double Level[rows + 2][columns + 2];
static Level u[levels];
static int up, down;

#define STEP(now, then)                                                                                                \
  do {                                                                                                                 \
    MPI_Sendrecv(u[now][1], columns + 2, MPI_DOUBLE, up, 1, u[now][rows + 1], columns + 2, MPI_DOUBLE, down, 1,        \
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                                                   \
    MPI_Sendrecv(u[now][rows], columns + 2, MPI_DOUBLE, down, 2, u[now][0], columns + 2, MPI_DOUBLE, up, 2,            \
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                                                   \
    for (int i = 1; i <= rows; ++i)                                                                                    \
      for (int j = 1; j <= columns; ++j)                                                                               \
        u[then][i][j] = 0.25 * (u[now][i - 1][j] + u[now][i + 1][j] + u[now][i][j - 1] + u[now][i][j + 1]);            \
  } while (0)

/// One of two, or from a number beyond them.
NOINLINE static void oneMinus(int now, int from) {
  for (int t = 0; t < turns; ++t) {
    STEP(from + now, from + 1 - now);
    now = 1 - now;
  }
}

/// The last bits of two numbers that go on alike, or not.
NOINLINE static void bits(int first, int second, int step) {
  for (int t = 0; t < turns; ++t) {
    STEP(first % 2, second % 2);
    first += 1, second += step;
  }
}

/// A bit that is turned, or only in some steps.
NOINLINE static void turned(int now, int when) {
  for (int t = 0; t < turns; ++t) {
    STEP(now & 1, (now ^ (t % when == 0)) & 1);
    now ^= 1;
  }
}

/// Three levels, one of which is kept.
NOINLINE static void three(int now) {
  for (int t = 0; t < turns; ++t) {
    STEP(now, (now + 1) % 3);
    now = (now + 1) % 3;
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size, down = (rank + 1) % size;
  for (int k = 0; k < levels; ++k)
    for (int i = 0; i < rows + 2; ++i)
      for (int j = 0; j < columns + 2; ++j)
        u[k][i][j] = (i * 7 + j * 3 + rank * 5 + k) % 11 / 3.0;
  const double *all = &u[0][0][0];
  enum { cells = sizeof u / sizeof(double) };
  for (int first = 0; first < 2; ++first) {
    oneMinus(first, 0), say("one minus", digits(all, cells));
    oneMinus(first, 2), say("one minus, later", digits(all, cells));
    oneMinus(2, 1), say("two and minus one", digits(all, cells));
    for (int step = 0; step < 3; ++step)
      bits(first, 1, step), say("bits", digits(all, cells));
    for (int when = 1; when < 4; ++when)
      turned(first, when), say("turned", digits(all, cells));
    three(first), say("three", digits(all, cells));
  }
  MPI_Finalize();
  return 0;
}
