// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three dimensions whose sizes are parameters: products of three numbers, of 32 bits as usual, and of 64 bits. A
// run-time test finds equal planes; values that it cannot compute count as an overlap.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s --implicit-check-not="waits as a whole" < %t.extended.remarks
#include "Inputs/soundness.h"

enum { places = 4096 };

#define AT(i, j, k) (((i) * y + (j)) * z + (k))
#define STEP(number)                                                                                                   \
  for (number i = 1; i < x - 1; ++i)                                                                                   \
    for (number j = 1; j < y - 1; ++j)                                                                                 \
      for (number k = 1; k < z - 1; ++k)                                                                               \
        to[AT(i, j, k)] = (u[AT(i - 1, j, k)] * 3 + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] * 5 + u[AT(i, j, k + 1)]) % 1001;

/// Planes `from` and `next` are sent, `into` and `last` received.
NOINLINE void ints(int *restrict u, int *restrict to, int x, int y, int z, int from, int into, int next, int last, int up,
                   int down) {
  int plane = y * z;
  // CHECK-DAG: remark: MPI_Sendrecv at sizes.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Sendrecv(u + from * plane, plane, MPI_INT, up, 0, u + into * plane, plane, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK-DAG: remark: MPI_Sendrecv at sizes.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Sendrecv(u + next * plane, plane, MPI_INT, down, 1, u + last * plane, plane, MPI_INT, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK-DAG: remark: splits the loop at sizes.c:[[#@LINE+1]]
  STEP(int)
}

NOINLINE void longs(int *restrict u, int *restrict to, long x, long y, long z, long from, long into, long next, long last,
                    int up, int down) {
  long plane = y * z;
  // CHECK-DAG: remark: MPI_Sendrecv at sizes.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Sendrecv(u + from * plane, plane, MPI_INT, up, 0, u + into * plane, plane, MPI_INT, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK-DAG: remark: MPI_Sendrecv at sizes.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Sendrecv(u + next * plane, plane, MPI_INT, down, 1, u + last * plane, plane, MPI_INT, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  // CHECK-DAG: remark: splits the loop at sizes.c:[[#@LINE+1]]
  STEP(long)
}

/// Arithmetic that wraps, as in other languages.
NOINLINE __attribute__((optnone)) static long wrapped(long n) { return n; }

static void report(const char *what, const int *u, const int *to) {
  unsigned long sum = 0;
  for (int i = 0; i < places; ++i)
    sum = sum * 3 + (unsigned)u[i] + 7 * (unsigned)to[i];
  printf("rank %d: %s %lu\n", rank, what, sum);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  static const int sizes[][3] = {{6, 5, 7}, {3, 4, 4}, {2, 5, 5}, {8, 3, 3}, {5, 9, 1}, {4, 0, 6}, {5, 2, 9}};
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s)
    for (int form = 0; form < 2; ++form)
      for (int way = 0; way < 4; ++way) {
        static int u[places], to[places];
        for (int i = 0; i < places; ++i)
          u[i] = (i * 37 + rank * 11) % 101, to[i] = i % 7;
        int x = sizes[s][0], y = sizes[s][1], z = sizes[s][2];
        // The planes of a stencil; received data is sent on; a plane in the middle; the two received planes are one.
        int from = 1, into = x - 1, next = way == 1 ? x - 1 : x - 2, last = way == 2 ? x / 2 : way == 3 ? x - 1 : 0;
        if (from == into || next == last)
          continue;
        if (form == 0)
          ints(u, to, x, y, z, from, into, next, last, up, down);
        else
          longs(u, to, wrapped(x), y, z, from, into, next, last, up, down);
        char what[64];
        snprintf(what, sizeof(what), "%d x %d x %d, form %d, way %d:", x, y, z, form, way);
        report(what, u, to);
      }
  // A size that is not computed with: no plane has an element.
  static int u[places], to[places];
  longs(u, to, wrapped(3), wrapped(0), wrapped(1L << 45), 1, 2, 1, 0, up, down);
  report("rows without points:", u, to);
  MPI_Finalize();
  return 0;
}
