// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ring with two buffers that are swapped in every step: one is computed on while the other is received
// (RotatedPointers.h). The message starts before the loop, because the two always differ. If they are equal in some
// step, or a loop before the message has rotated them, the loop's writes come first.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at double-buffer.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { cells = 200 };

static void pass(const double *from, double *to, int tag) {
  MPI_Sendrecv(from, cells, MPI_DOUBLE, (rank + 1) % size, tag, to, cells, MPI_DOUBLE, (rank + size - 1) % size, tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double *make(int first) {
  double *values = malloc(sizeof(double) * cells);
  for (int i = 0; i < cells; ++i)
    values[i] = (i * 13 + first) % 37;
  return values;
}

NOINLINE static double ring(int rounds) {
  double *mine = make(rank), *other = make(rank + 1), *in = make(0), sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < cells; ++i)
      other[i] = mine[i] + round;
    for (int p = 0; p < size; ++p) {
      for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j)
          mine[i] += other[j] * 0.001 - mine[i] * 0.0001;
      pass(other, in, 0);
      double *last = other;
      other = in, in = last;
    }
  }
  for (int i = 0; i < cells; ++i)
    sum += mine[i] * i;
  free(mine), free(other), free(in);
  return sum;
}
// CHECK: MPI_Sendrecv at double-buffer.c:{{[0-9]+}} overlaps {{[1-9]}} loop

/// Every third time both are one array. Then only sums arrive, and the loop must have read it.
NOINLINE static double sometimesOne(int rounds) {
  double *first = make(rank), *second = make(rank + 2), *other = first, *in = second, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < cells; ++i)
      sum += other[i] * (i % 3 + 1);
    if (other == in)
      MPI_Sendrecv_replace(in, cells, MPI_DOUBLE, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
    else
      pass(other, in, 1);
    double *last = other;
    other = in, in = round % 3 == 1 ? in : last;
    if (round % 3 == 2)
      in = other == first ? second : first;
  }
  free(first), free(second);
  return sum;
}

/// The inner loop writes through both, and ends with them in either order.
NOINLINE static double rotatedBefore(int rounds) {
  double *other = make(rank), *in = make(rank + 3), sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int step = 0; step <= round; ++step) {
      for (int i = 0; i < cells; ++i)
        in[i] += other[i] * 0.5 + step;
      double *last = other;
      other = in, in = last;
    }
    pass(other, in, 2);
    for (int i = 0; i < cells; ++i)
      sum += in[i] * (i % 5);
  }
  free(other), free(in);
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  say("ring", (long)(ring(3) * 1000));
  say("sometimes one", (long)(sometimesOne(7) * 1000));
  say("rotated before", (long)(rotatedBefore(4) * 1000));
  MPI_Finalize();
  return 0;
}
