// A send buffer is not written while MPI reads it: by stores, copies, library calls, or calls of the program's own.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Send
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void clear(int *buffer) { memset(buffer, 0, many * sizeof(int)); }

NOINLINE static void first(void) {
  int *buffer = (int *)malloc(many * sizeof(int)), *other = (int *)malloc(many * sizeof(int));
  fill(buffer, many, 1);
  fill(other, many, 9);
  MPI_Send(buffer, many, MPI_INT, 1, 0, MPI_COMM_WORLD);
  work(values);
  buffer[many - 1] = 7; // one element, the last
  MPI_Send(buffer, many, MPI_INT, 1, 1, MPI_COMM_WORLD);
  work(values);
  fill(buffer, many, 5);
  MPI_Send(buffer, many, MPI_INT, 1, 2, MPI_COMM_WORLD);
  work(values);
  memcpy(buffer, other, many * sizeof(int));
  MPI_Ssend(buffer, many, MPI_INT, 1, 3, MPI_COMM_WORLD);
  work(values);
  clear(buffer);
  say("cleared", buffer[0]);
  free(buffer);
  free(other);
}

NOINLINE static void second(void) {
  int *buffer = (int *)malloc(many * sizeof(int));
  for (int tag = 0; tag < 4; ++tag) {
    nap(60);
    MPI_Recv(buffer, many, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("received", total(buffer, many));
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
