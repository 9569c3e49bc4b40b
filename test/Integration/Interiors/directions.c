// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchange of a block with four neighbors in the usual form, with loops over directions and a switch: with all four
// cases and no default, so that LLVM makes other numbers unreachable. Everything is in one function that allocates the
// arrays, so that starts use the allocations, and code after a wait reloads them.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpirun -n 2 %t 40 | FileCheck %s --check-prefix=SAME
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-3: 0 before the first wait
#include "Inputs/cells.h"

typedef struct {
  int columns, rows, neighbors[4], counts[4], places[4];
  double *now, *next, *out[4], *in[4];
} Block;

static Block *makeBlock(int columns, int rows, int nobody) {
  Block *b = calloc(1, sizeof *b);
  b->columns = columns, b->rows = rows;
  b->now = fill((columns + 2) * (rows + 2), rank + 1);
  b->next = fill((columns + 2) * (rows + 2), NAN);
  const int all[4] = {nobody, nobody, rank ? rank - 1 : nobody, rank + 1 < size ? rank + 1 : nobody};
  int place = 0;
  for (int d = 0; d < 4; ++d) {
    b->neighbors[d] = all[d];
    b->counts[d] = d < 2 ? rows : columns;
    b->out[d] = fill(b->counts[d], 0), b->in[d] = fill(b->counts[d], 0);
    b->places[d] = place;
    place += all[d] >= 0 ? b->counts[d] : 0;
  }
  return b;
}

#define CELL(i, j) b->now[(j) * (b->columns + 2) + (i)]

INLINE static int pack(Block *b, int d, double *to, int n) {
  switch (d) {
  case 0: for (int j = 1; j <= b->rows; ++j) to[n++] = CELL(1, j); break;
  case 1: for (int j = 1; j <= b->rows; ++j) to[n++] = CELL(b->columns, j); break;
  case 2: for (int i = 1; i <= b->columns; ++i) to[n++] = CELL(i, 1); break;
  case 3: for (int i = 1; i <= b->columns; ++i) to[n++] = CELL(i, b->rows); break;
  }
  return n;
}

INLINE static int unpack(Block *b, int d, const double *from, int n) {
  switch (d) {
  case 0: for (int j = 1; j <= b->rows; ++j) CELL(0, j) = from[n++]; break;
  case 1: for (int j = 1; j <= b->rows; ++j) CELL(b->columns + 1, j) = from[n++]; break;
  case 2: for (int i = 1; i <= b->columns; ++i) CELL(i, 0) = from[n++]; break;
  case 3: for (int i = 1; i <= b->columns; ++i) CELL(i, b->rows + 1) = from[n++]; break;
  }
  return n;
}

INLINE static void sweep(Block *b) {
  for (int j = 1; j <= b->rows; ++j)
    for (int i = 1; i <= b->columns; ++i)
      b->next[j * (b->columns + 2) + i] = CELL(i - 1, j) + CELL(i + 1, j) + CELL(i, j - 1) + CELL(i, j + 1);
}

/// A negative number means that there is no neighbor, and the exchange is skipped.
INLINE static void exchangeByTurns(Block *b) {
  MPI_Request requests[8];
  int n = 0;
  for (int d = 0; d < 4; ++d) {
    if (b->neighbors[d] < 0)
      continue;
    MPI_Irecv(b->in[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d ^ 1, MPI_COMM_WORLD, &requests[n++]);
  }
  for (int d = 0; d < 4; ++d) {
    if (b->neighbors[d] < 0)
      continue;
    pack(b, d, b->out[d], 0);
    MPI_Isend(b->out[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d, MPI_COMM_WORLD, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  for (int d = 0; d < 4; ++d)
    if (b->neighbors[d] >= 0)
      unpack(b, d, b->in[d], 0);
}

/// MPI_PROC_NULL, to which nothing is sent, and from which nothing comes.
INLINE static void exchangeWithNobody(Block *b) {
  MPI_Request requests[8];
  for (int d = 0; d < 4; ++d)
    MPI_Irecv(b->in[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d ^ 1, MPI_COMM_WORLD, &requests[d]);
  for (int d = 0; d < 4; ++d) {
    pack(b, d, b->out[d], 0);
    MPI_Isend(b->out[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d, MPI_COMM_WORLD, &requests[4 + d]);
  }
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  for (int d = 0; d < 4; ++d)
    if (b->neighbors[d] != MPI_PROC_NULL)
      unpack(b, d, b->in[d], 0);
}

/// One buffer for all faces, one after another: a counter continues from face to face.
INLINE static void exchangeInOneBuffer(Block *b, double *out, double *in) {
  MPI_Request requests[8];
  int n = 0, packed = 0, unpacked = 0;
  for (int d = 0; d < 4; ++d)
    if (b->neighbors[d] >= 0)
      MPI_Irecv(in + b->places[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d ^ 1, MPI_COMM_WORLD, &requests[n++]);
  for (int d = 0; d < 4; ++d)
    if (b->neighbors[d] >= 0) {
      packed = pack(b, d, out, packed);
      MPI_Isend(out + b->places[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d, MPI_COMM_WORLD, &requests[n++]);
    }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  for (int d = 0; d < 4; ++d)
    if (b->neighbors[d] >= 0)
      unpacked = unpack(b, d, in, unpacked);
}

#define RUN(NAME, NOBODY, EXCHANGE)                                                                                    \
  do {                                                                                                                 \
    Block *b = makeBlock(argc > 1 ? atoi(argv[1]) : 20, 16, NOBODY);                                                   \
    int number = (b->columns + 2) * (b->rows + 2);                                                                     \
    watch(b->next, number);                                                                                            \
    for (int step = 0; step < 2; ++step) {                                                                             \
      EXCHANGE;                                                                                                        \
      sweep(b);                                                                                                        \
    }                                                                                                                  \
    tell(NAME, b->next, number, b->columns *b->rows);                                                                  \
  } while (0)

/// 20 * 16 cells, a row of which has a neighbor: 15 rows, or 14 if a missing neighbor is unknown.
// CHECK: turns: {{280|300}} before the first wait, of 320; sum [[SUM:[0-9.]+]]
// CHECK: nobody: {{252|280|300}} before the first wait, of 320; sum [[SUM]]
// CHECK: buffer: {{280|300}} before the first wait, of 320; sum [[SUM]]
// SAME: sum [[SUM:[0-9.]+]]
// SAME: sum [[SUM]]
// SAME: sum [[SUM]]
int main(int argc, char **argv) {
  begin(&argc, &argv);
  RUN("turns", -1, exchangeByTurns(b));
  RUN("nobody", MPI_PROC_NULL, exchangeWithNobody(b));
  double *out = fill(1000, 0), *in = fill(1000, 0);
  RUN("buffer", -1, exchangeInOneBuffer(b, out, in));
  MPI_Finalize();
}
