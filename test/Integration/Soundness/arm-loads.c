// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual tutorial exchange with all variables at file scope: each arm reloads its rank, the sizes and the array
// after its MPI_Send. These loads move before the messages of the arm, leave it, and reuse the values loaded before the
// branch (raiseLoadsOfArm), so that the waits leave the arm as well, and the loop is split. Not if the arm itself, its
// message or a function in it may write the variables.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Recv at arm-loads.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

int me, all, columns, rows, count;
double *old, *new;

NOINLINE static void iterate(int turns) {
  for (int n = 0; n < turns; ++n) {
    if (me > 0) {
      MPI_Send(&old[columns], columns, MPI_DOUBLE, me - 1, 0, MPI_COMM_WORLD);
      // CHECK-DAG: arm-loads.c:[[#@LINE+1]]:{{[0-9]+}}: remark: MPI_Recv at arm-loads.c:[[#@LINE+1]] overlaps 1 loop
      MPI_Recv(&old[0], columns, MPI_DOUBLE, me - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (me < all - 1) {
      MPI_Send(&old[rows * columns], columns, MPI_DOUBLE, me + 1, 1, MPI_COMM_WORLD);
      // CHECK-DAG: arm-loads.c:[[#@LINE+1]]:{{[0-9]+}}: remark: MPI_Recv at arm-loads.c:[[#@LINE+1]] overlaps 1 loop
      MPI_Recv(&old[(rows + 1) * columns], columns, MPI_DOUBLE, me + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    // CHECK-DAG: arm-loads.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop
    for (int i = 1; i <= rows; ++i)
      for (int j = 1; j < columns - 1; ++j)
        new[i * columns + j] = 0.25 * (old[(i - 1) * columns + j] + old[(i + 1) * columns + j] +
                                       old[i * columns + j - 1] + old[i * columns + j + 1]);
    double *last = old;
    old = new, new = last;
  }
}

/// The load after the message reads what the message delivered.
NOINLINE static long received(int *from) {
  long sum = count;
  if (me > 0) {
    int next = count + me;
    MPI_Sendrecv(&next, 1, MPI_INT, me - 1, 2, from, 1, MPI_INT, me - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = sum * 3 + count;
  } else if (all > 1) {
    int next = 3 * count;
    MPI_Sendrecv(&next, 1, MPI_INT, 1, 2, from, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = sum * 5 + count;
  }
  return sum * 7 + count;
}

NOINLINE static void grow(void) { count += 2; }

/// A function of the program changes it between the message and the load; or the arm does.
NOINLINE static long changed(double *values) {
  long sum = count;
  if (me % 2 == 0) {
    MPI_Sendrecv(&values[0], 4, MPI_DOUBLE, (me + all - 1) % all, 3, &values[8], 4, MPI_DOUBLE, (me + 1) % all, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    grow();
    sum = sum * 3 + count;
    count += 5;
    sum = sum * 3 + count;
  } else {
    MPI_Sendrecv(&values[0], 4, MPI_DOUBLE, (me + all - 1) % all, 3, &values[8], 4, MPI_DOUBLE, (me + 1) % all, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = sum * 5 + count;
  }
  for (int i = 0; i < 12; ++i)
    sum = sum * 3 + (long)values[i];
  return sum * 7 + count;
}

/// The last statement of the arm reads the received data.
NOINLINE static long handed(double *values) {
  double last = 1;
  for (int n = 0; n < 3; ++n) {
    values[11] = n + 2 * me;
    if (me < all - 1)
      MPI_Send(&values[11], 1, MPI_DOUBLE, me + 1, 5, MPI_COMM_WORLD);
    if (me > 0) {
      MPI_Recv(&values[2], 1, MPI_DOUBLE, me - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      last = values[2];
    }
    for (int i = 3; i < 11; ++i)
      values[i] = values[i] * 0.5 + values[i - 1] + last;
  }
  return (long)(values[10] * 64 + last);
}

struct cell {
  int kind;
  int *where;
};

/// The arm tests more than the branch does: where the pointer is invalid nothing is loaded.
NOINLINE static long guarded(struct cell *cell, double *values) {
  long sum = cell->kind;
  if (me > 0) {
    MPI_Send(&values[0], 4, MPI_DOUBLE, me - 1, 4, MPI_COMM_WORLD);
    if (cell->kind > 1)
      sum += *cell->where;
  }
  if (me < all - 1) {
    MPI_Recv(&values[4], 4, MPI_DOUBLE, me + 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (cell->kind > 1)
      sum += 3 * *cell->where;
  }
  for (int i = 0; i < 8; ++i)
    sum = sum * 3 + (long)values[i];
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  columns = 40 + argc, rows = 8 + argc, count = 10 + argc;
  size_t cells = (size_t)(rows + 2) * columns;
  old = calloc(cells, sizeof(double)), new = calloc(cells, sizeof(double));
  for (size_t i = 0; i < cells; ++i)
    old[i] = new[i] = (double)((i * 31 + (size_t)me * 7) % 101);
  iterate(7);
  double sum = 0;
  for (size_t i = 0; i < cells; ++i)
    sum += old[i] * (double)(i % 5);
  say("cells", (long)(sum * 1000));
  if (all % 2 == 0 && all < 4)
    say("received", received(&count));
  double values[12];
  for (int i = 0; i < 12; ++i)
    values[i] = i * 3 + me;
  say("changed", changed(values));
  say("handed", handed(values));
  struct cell none = {argc, NULL}, one = {argc + 1, &count};
  say("none", guarded(&none, values));
  say("one", guarded(&one, values));
  free(old), free(new);
  MPI_Finalize();
  return 0;
}
