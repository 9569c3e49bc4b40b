// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of a second loop starts with zero, which LLVM stores in both arms of the guard of the first loop. The store
// moves before the guard (hoistStores of ArmNumbers.cpp), so that the first loop can be split: not if the first loop
// reads the sum of the last step, or through an aliasing pointer, not if the arms start with different numbers, and not
// if an arm stores zero repeatedly.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Recv at first-store.c:[0-9]+"
#include "Inputs/soundness.h"

enum { columns = 40, most = 12 };

static double old[most + 2][columns + 2], new[most + 2][columns + 2];

static void exchange(int rows) {
  if (rank > 0)
    MPI_Send(old[1], columns + 2, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
  if (rank < size - 1)
    MPI_Recv(old[rows + 1], columns + 2, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < size - 1)
    MPI_Send(old[rows], columns + 2, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  if (rank > 0)
    MPI_Recv(old[0], columns + 2, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void smooth(int rows, double more) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]) + more;
}

static void add(int rows, double *change) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j) {
      double d = new[i][j] - old[i][j];
      *change += d * d;
      old[i][j] = new[i][j];
    }
}

NOINLINE static double textbook(int rows) {
  double all = 0;
  for (int step = 0; step < 4; ++step) {
    exchange(rows);
    smooth(rows, 0);
    double change = 0;
    add(rows, &change);
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return all;
}

/// The first loop uses the last step's sum.
NOINLINE static double readBefore(int rows) {
  double all = 0, change = 1;
  for (int step = 0; step < 4; ++step) {
    exchange(rows);
    smooth(rows, change * 0.001);
    change = 0;
    add(rows, &change);
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return all;
}

/// Another pointer to it exists.
NOINLINE static double readByPointer(int rows, double **seen) {
  double all = 0, change = 1;
  *seen = &change;
  for (int step = 0; step < 4; ++step) {
    exchange(rows);
    for (int i = 1; i <= rows; ++i)
      for (int j = 1; j <= columns; ++j)
        new[i][j] = old[i - 1][j] * 0.5 + **seen * 0.25;
    change = 0;
    add(rows, &change);
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  *seen = NULL;
  return all;
}

/// One if there are no rows.
NOINLINE static double otherNumber(int rows) {
  double all = 0;
  for (int step = 0; step < 4; ++step) {
    exchange(rows);
    double change;
    if (rows < 1)
      change = 1;
    else {
      smooth(rows, 0);
      change = 0;
      add(rows, &change);
    }
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return all;
}

NOINLINE static void note(double value) {
  static double sum;
  sum += value;
  if (sum < 0)
    say("a sum below zero", (long)sum);
}

/// One arm stores zero in each iteration of a loop.
NOINLINE static double repeated(int rows, int most_turns) {
  double all = 0, change = 1, token[2] = {1, 0};
  for (int step = 0; step < 4; ++step) {
    MPI_Sendrecv(&token[0], 1, MPI_DOUBLE, (rank + 1) % size, 2, &token[1], 1, MPI_DOUBLE, (rank + size - 1) % size, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < most; ++i)
      for (int j = 1; j <= columns; ++j)
        new[i][j] = new[i][j] * 0.5 + j;
    if (rows > 5) {
      change = 0;
      note(token[1]);
      add(rows, &change);
      note(2);
    } else {
      int turn = 0;
      do {
        change = 0;
        note(old[turn][1]);
        for (int j = 1; j <= 3; ++j)
          change += old[turn][j];
        note(change);
      } while (++turn < most_turns);
    }
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    all += change;
  }
  return all;
}

static void fillAll(int rows) {
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < columns + 2; ++j)
      old[i][j] = new[i][j] = (i * 31 + j * 17 + rank * 7) % 101;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *seen;
  for (int rows = 0; rows < most; rows += rows < 3 ? 1 : 4) {
    fillAll(rows);
    say("textbook", (long)(textbook(rows) * 1000));
    fillAll(rows);
    say("read before", (long)(readBefore(rows) * 1000));
    fillAll(rows);
    say("read by a pointer", (long)(readByPointer(rows, &seen) * 1000));
    fillAll(rows);
    say("other number", (long)(otherNumber(rows) * 1000));
    fillAll(rows);
    say("repeated", (long)(repeated(rows, 1 + rows % 4) * 1000));
  }
  MPI_Finalize();
  return 0;
}
