// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, neighbors and arrays in variables at file scope, which LLVM reloads after each MPI call. Two loads are equal
// (EqualValues.cpp) if nothing in between may write the variable: neither a message that names or points to it, nor a
// called function. A double of a message does not fit into an int, but into a pair of them.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Sendrecv at file-scope.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
// Also in a separate file, where other files may have pointers to these variables.
// RUN: FileCheck %s --check-prefix=ALONE < %t.extended.remarks
#include "Inputs/soundness.h"

#include <stdbool.h>

int columns, rows, above, below;
double *old, *new;
int pair[2];

static void exchange(void) {
  int width = columns + 2;
  // ALONE-DAG: MPI_Sendrecv at file-scope.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Sendrecv(&old[width], width, MPI_DOUBLE, above, 0, &old[(rows + 1) * width], width, MPI_DOUBLE, below, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&old[rows * width], width, MPI_DOUBLE, below, 1, &old[0], width, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// CHECK: file-scope.c:[[#@LINE+2]]:{{[0-9]+}}: remark: splits the loop
static void compute(void) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      new[i * (columns + 2) + j] = 0.25 * (old[(i - 1) * (columns + 2) + j] + old[(i + 1) * (columns + 2) + j] +
                                           old[i * (columns + 2) + j - 1] + old[i * (columns + 2) + j + 1]);
}

NOINLINE static void iterate(int count) {
  for (int n = 0; n < count; ++n) {
    exchange();
    compute();
    double *last = old;
    old = new, new = last;
  }
}

/// Every message makes the array smaller.
NOINLINE static long shrink(int *where) {
  long sum = 0;
  for (int n = 0; n < 3; ++n) {
    int next = columns - 1 - n;
    sum = sum * 7 + columns;
    MPI_Sendrecv(&next, 1, MPI_INT, below, 2, where, 1, MPI_INT, above, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < columns; ++i)
      sum += (long)old[i] * (i + columns);
  }
  return sum;
}

NOINLINE static void grow(void) { rows += 1; }

/// A function of the program changes it between two messages.
NOINLINE static long call(double *values) {
  long sum = 0;
  for (int n = 0; n < 3; ++n) {
    MPI_Sendrecv(&values[0], rows, MPI_DOUBLE, above, 3, &values[40], rows, MPI_DOUBLE, below, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    grow();
    for (int i = 0; i < rows; ++i)
      sum += (long)values[i] * rows;
  }
  return sum;
}

/// Both halves of a double are read as integers: not valid in MPI, but common practice.
NOINLINE static long halves(double *where, double value) {
  long sum = pair[0] ^ pair[1];
  MPI_Sendrecv(&value, 1, MPI_DOUBLE, below, 4, where, 1, MPI_DOUBLE, above, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return sum * 3 + (pair[0] ^ pair[1]);
}

int replaced __attribute__((weak)) = 70;

/// Another file may have a larger variable of this name.
// ALONE-NOT: MPI_Sendrecv at file-scope.c:[[#@LINE+5]] overlaps 1 loop
NOINLINE static long mayBeReplaced(double *values) {
  double sum = 0;
  for (int n = 0; n < 3; ++n) {
    MPI_Sendrecv(&values[1], 1, MPI_DOUBLE, above, 5, &values[0], 1, MPI_DOUBLE, below, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= replaced; ++i)
      sum += values[i] * i;
  }
  return (long)sum;
}

extern int missing __attribute__((weak));

/// A variable that another file may have, and none has: it is not loaded before it is asked for.
NOINLINE static long optional(double *values, int count) {
  double sum = 0;
  for (int n = 0; n < 3; ++n) {
    MPI_Sendrecv(&values[1], 1, MPI_DOUBLE, above, 5, &values[count + 1], 1, MPI_DOUBLE, below, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (&missing)
      sum += missing * 2.5;
    for (int i = 1; i <= count; ++i)
      sum += values[i + 1] * i;
  }
  return (long)sum;
}

struct {
  int kind, count;
  union {
    bool truth;
    unsigned char number;
  };
} tagged;

/// A boolean is 0 or 1 if its guard holds; otherwise a number is in its place.
NOINLINE static long either(void) {
  enum { side = 32 };
  static double from[side][side], to[side][side];
  for (int i = 0; i < side * side; ++i)
    from[i / side][i % side] = (double)((i * 7 + rank * 31) % 101);
  double sum = 0;
  for (int n = 0; n < 3; ++n) {
    MPI_Sendrecv(from[1], side, MPI_DOUBLE, above, 6, from[side - 1], side, MPI_DOUBLE, below, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    int more = 1;
    if (tagged.kind == 0) {
      more = 2;
      if (tagged.count > 2 && tagged.truth)
        more = 3;
    }
    for (int i = 1; i < side - 1; ++i)
      for (int j = 0; j < side; ++j)
        to[i][j] = from[i - 1][j] + from[i + 1][j] * more;
    MPI_Sendrecv(from[1], side, MPI_DOUBLE, above, 7, from[side - 1], side, MPI_DOUBLE, below, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    unsigned char number = tagged.number;
    for (int i = 1; i < side - 1; ++i)
      for (int j = 0; j < side; ++j)
        to[i][j] = from[i - 1][j] + from[i + 1][j] * (number > 5 ? number : 2);
    if (number == 77)
      sum += to[3][4];
  }
  for (int i = 0; i < side * side; ++i)
    sum += to[i / side][i % side];
  return (long)sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  columns = 40 + argc, rows = 8 + argc;
  above = (rank + 1) % size, below = (rank + size - 1) % size;
  size_t cells = (size_t)(rows + 2) * (columns + 2);
  old = calloc(cells, sizeof(double)), new = calloc(cells, sizeof(double));
  for (size_t i = 0; i < cells; ++i)
    old[i] = (double)((i * 31 + (size_t)rank * 7) % 101);
  iterate(5);
  double sum = 0;
  for (size_t i = 0; i < cells; ++i)
    sum += old[i] * (double)(i % 5);
  say("cells", (long)(sum * 1000));
  say("shrink", shrink(&columns));
  double values[80];
  for (int i = 0; i < 80; ++i)
    values[i] = i * 3 + rank;
  say("call", call(values));
  say("halves", halves((double *)pair, 1.25 + rank));
  say("replaced", mayBeReplaced(values));
  say("optional", optional(values, 70));
  tagged.kind = argc, tagged.count = 2 + argc, tagged.number = (unsigned char)(76 + argc);
  say("either", either());
  free(old), free(new);
  MPI_Finalize();
  return 0;
}
