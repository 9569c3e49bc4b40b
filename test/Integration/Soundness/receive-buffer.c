// A receive buffer is neither read nor written before the message has come.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Recv
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void first(void) {
  int buffer[few], other[few];
  fill(buffer, few, 1000);
  MPI_Recv(buffer, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  long sum = total(buffer, few); // read
  say("read", sum);
  MPI_Recv(buffer, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  buffer[2] = -1; // written: the message must not overwrite it
  work(values);
  say("written", total(buffer, few));
  MPI_Recv(buffer + 4, 4, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  buffer[3] = 11, buffer[8] = 12; // next to it
  memcpy(other, buffer, sizeof buffer);
  say("copied", total(other, few));
  MPI_Recv(other, few, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  printf("rank 0: text %.8s\n", (char *)other);
}

NOINLINE static void second(void) {
  int buffer[few];
  fill(buffer, few, 50);
  for (int tag = 0; tag < 3; ++tag) {
    nap(60);
    MPI_Send(buffer, tag == 2 ? 4 : few, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
  nap(60);
  MPI_Send("0123456789abcdef", few, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
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
