// A variable in flight lives until the message is complete: its place on the stack is not another's before.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Send
#include "Inputs/soundness.h"

enum { middle = 1 << 14 };
static double values[steps];
static long NOINLINE change(int *buffer, int first) {
  fill(buffer, middle, first);
  return total(buffer, middle);
}

NOINLINE static void inner(int tag) {
  int buffer[middle];
  change(buffer, tag);
  MPI_Send(buffer, middle, MPI_INT, 1, tag, MPI_COMM_WORLD);
  work(values);
} // the function returns

NOINLINE static void first(void) {
  {
    int buffer[middle];
    change(buffer, 1);
    MPI_Send(buffer, middle, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  work(values);
  {
    int other[middle];
    long sum = 0;
    for (int i = 0; i < middle; ++i)
      other[i] = 5 * i;
    for (int i = 0; i < middle; ++i)
      sum += other[(i * 7) % middle];
    say("other", sum);
    say("changed", change(other, 4));
  }
  inner(1);
  int last[middle];
  say("last", change(last, 8));
}

NOINLINE static void second(void) {
  int *buffer = (int *)malloc(middle * sizeof(int));
  for (int tag = 0; tag < 2; ++tag) {
    nap(60);
    MPI_Recv(buffer, middle, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("received", total(buffer, middle));
  }
  free(buffer);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
