// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of characters through pointers: a loop's stores may alias the pointers to its rows, which it loads in its inner
// loop. They are loaded before the loop unless the rows contain the pointers.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { most = 7, columns = 9 };
typedef unsigned char Cell;

/// The game of life, rows of ghosts above and below.
// CHECK-DAG: .c:[[#@LINE+6]]:{{.*}} splits the loop {{.*}} if its rows are evenly spaced in memory
NOINLINE static void life(Cell **now, Cell **next, int m, int n, int up, int down) {
  MPI_Sendrecv(now[1], n + 2, MPI_UNSIGNED_CHAR, up, 0, now[m + 1], n + 2, MPI_UNSIGNED_CHAR, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(now[m], n + 2, MPI_UNSIGNED_CHAR, down, 1, now[0], n + 2, MPI_UNSIGNED_CHAR, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      int around = now[i - 1][j - 1] + now[i - 1][j] + now[i - 1][j + 1] + now[i][j - 1] + now[i][j + 1] +
                   now[i + 1][j - 1] + now[i + 1][j] + now[i + 1][j + 1];
      next[i][j] = around == 3 || (around == 2 && now[i][j]);
    }
}

/// Each iteration stores the bytes of a row, which may contain the pointer to the next one.
NOINLINE static void copy(Cell **from, Cell **to, Cell *ghost, int m, int n, int none, int up, int down) {
  MPI_Sendrecv(ghost, n, MPI_UNSIGNED_CHAR, up, 0, from[m + 1], n, MPI_UNSIGNED_CHAR, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j)
      to[i][j] = from[i][j] + none * from[i + 1][j];
}

/// The row becomes the one that is in flight, within an iteration.
// CHECK-DAG: .c:[[#@LINE+4]]:{{.*}} the loop {{.*}} waits as a whole: it has iterations that depend on each other
NOINLINE static void turn(Cell **from, Cell **to, Cell *ghost, Cell *other, int m, int n, int up, int down) {
  MPI_Sendrecv(ghost, n, MPI_UNSIGNED_CHAR, up, 0, from[m + 1], n, MPI_UNSIGNED_CHAR, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < n; ++j) {
      to[i][j] = from[i][j] + 1;
      from[i] = other;
    }
}

static Cell **rows(Cell *cells, int uneven) {
  Cell **table = malloc(sizeof(Cell *) * (most + 2));
  for (int i = 0; i < most + 2; ++i)
    table[i] = cells + (columns + 2) * i + (uneven && i > 2);
  return table;
}

static Cell *make(int seed) {
  Cell *cells = malloc((most + 3) * (columns + 2));
  for (int i = 0; i < (most + 3) * (columns + 2); ++i)
    cells[i] = (i * 7 + seed + rank) % 5 < 2;
  return cells;
}

static long sum(const Cell *cells) {
  long result = 0;
  for (int i = 0; i < (most + 3) * (columns + 2); ++i)
    result = result * 3 + cells[i];
  return result;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int m = 1; m <= most; ++m)
    for (int n = 0; n <= columns; n += 3)
      for (int layout = 0; layout < 4; ++layout) {
        Cell *now = make(1), *next = make(2), *ghost = make(3);
        Cell **ofNow = rows(now, layout & 1), **ofNext = rows(layout == 2 ? now : next, layout == 3);
        for (int step = 0; step < 3; ++step) {
          life(ofNow, ofNext, m, n, up, down);
          Cell **swap = ofNow;
          ofNow = ofNext, ofNext = swap;
        }
        say("life", sum(now) * 5 + sum(next));
        copy(ofNow, ofNext, ghost, m, n, 1, up, down);
        say("copy", sum(now) * 5 + sum(next));
        if (rank == size - 1)
          nap(1);
        turn(ofNow, ofNext, ghost, ofNow[m + 1], m, n, up, down);
        say("turn", sum(now) * 5 + sum(next));
        free(ofNow);
        free(ofNext);
        free(now);
        free(next);
        free(ghost);
      }
  // Rows are pointers, and where they go are the pointers to rows.
  Cell *ring[16], *table[most + 3], *places[most + 2];
  for (int i = 0; i < 16; ++i)
    ring[i] = (Cell *)&ring[(i * 5 + 3) % 16];
  for (int m = 1; m <= most; ++m) {
    for (int i = 0; i < most + 2; ++i) {
      table[i] = (Cell *)&ring[i];
      places[i] = (Cell *)&table[i + 1];
    }
    table[most + 2] = (Cell *)&ring[0];
    copy(table, places, (Cell *)&ring[0], m, sizeof(Cell *), 0, MPI_PROC_NULL, MPI_PROC_NULL);
    long where = 0;
    for (int i = 0; i < most + 2; ++i)
      where = where * 17 + ((Cell **)table[i] - ring);
    say("pointers", where);
  }
  MPI_Finalize();
}
