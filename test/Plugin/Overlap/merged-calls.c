// The optimizer merges calls of two branches into one, which has neither line: the remark names the function, and has
// its location. Without -flto Comm runs before the calls are merged.
// RUN: %commcc -O2 -g -w -flto -Rcomm %s -o %t 2>&1 | FileCheck %s --check-prefix=MERGED
// RUN: %commcc -O2 -g -w -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=APART
// MERGED: merged-calls.c:[[#@LINE+7]]:0: MPI_Bcast at several lines of choose (merged calls) overlaps 1 loop
// APART: merged-calls.c:[[#@LINE+8]]:5: remark: MPI_Bcast at merged-calls.c:[[#@LINE+8]] overlaps 1 loop
#include <mpi.h>

double values[4096];
int left[4], right[4];

__attribute__((noinline)) void choose(int *x, int *y, int which) {
  if (which > 3)
    MPI_Bcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(y, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int k = 0; k < 200; k++)
    for (int i = 0; i < 4096; i++)
      values[i] = values[i] * 0.5 + 1;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  choose(left, right, argc);
  MPI_Finalize();
  return values[0] < 0;
}
