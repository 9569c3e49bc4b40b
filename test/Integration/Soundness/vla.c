// Arrays of variable length die where the stack pointer is restored, also in a loop.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void first(void) {
  for (int step = 1; step < 5; ++step) {
    int n = step << 12;
    {
      int buffer[n];
      fill(buffer, n, step);
      MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    work(values);
    {
      int other[n];
      fill(other, n, -7);
      say("other", total(other, n));
    }
  }
}

NOINLINE static void second(void) {
  int *buffer = (int *)malloc(many * sizeof(int));
  for (int step = 1; step < 5; ++step) {
    nap(40);
    MPI_Recv(buffer, step << 12, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("received", total(buffer, step << 12));
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
