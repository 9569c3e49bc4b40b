// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call in a try block ends a basic block as a branch does, but it writes: loads after it do not move before it
// (hoistOutOfGuards of HoistAddresses.cpp). The handler has a loop, so that the whole block is a unit with a loop.
// RUN: %samexx %s -o %t -n 1,2
#include "Inputs/soundness.h"
#include <vector>

static int values[few];

struct Trouble {
  int code;
};

NOINLINE static void throwIf(bool yes, int code) {
  if (yes)
    throw Trouble{code};
}

NOINLINE static int exchange(int last) {
  int sum = 1;
  try {
    MPI_Status status;
    MPI_Sendrecv_replace(values, few, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         &status);
    int count = -5;
    MPI_Get_count(&status, MPI_INT, &count);
    sum = sum * 7 + count;
    throwIf(size > last, sum);
  } catch (const Trouble &trouble) {
    for (int i = 1; i < size; ++i)
      MPI_Sendrecv_replace(&values[i], 1, MPI_INT, (rank + 1) % size, 2, (rank + size - 1) % size, 2, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
    sum = sum * 5 + trouble.code;
  }
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  fill(values, few, rank);
  for (int last = 0; last < 3; ++last) {
    int sum = exchange(last);
    say("sum", sum);
    say("values", total(values, few));
  }
  MPI_Finalize();
  return 0;
}
