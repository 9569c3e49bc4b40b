// A status is valid after the message, and so are queries of it.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Recv
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void first(void) {
  int data[few], count = -1;
  MPI_Status status, other;
  memset(&status, 0, sizeof status);
  MPI_Recv(data, few, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  work(values);
  int tag = status.MPI_TAG;
  MPI_Get_count(&status, MPI_INT, &count);
  other = status;
  work(values);
  MPI_Recv(data, few, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  work(values);
  say("tag", tag);
  say("count", count);
  say("source", other.MPI_SOURCE);
  say("next", status.MPI_TAG);
}

NOINLINE static void second(void) {
  int data[few];
  fill(data, few, 5);
  nap(80);
  MPI_Send(data, 9, MPI_INT, 0, 17, MPI_COMM_WORLD);
  nap(80);
  MPI_Send(data, few, MPI_INT, 0, 4, MPI_COMM_WORLD);
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
