// A buffered send needs the buffer that was attached before it, and the buffer is the program's again after detaching.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Recv
#include "Inputs/soundness.h"

enum { large = 1 << 14 };
static double values[steps];
static char space[large * sizeof(int) + MPI_BSEND_OVERHEAD];

NOINLINE static void sender(void) {
  int data[large], answer = 0, last = 7;
  fill(data, large, rank);
  MPI_Recv(&answer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("answer", answer);
  MPI_Buffer_attach(space, sizeof space);
  MPI_Bsend(data, large, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Send(&last, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  work(values);
  void *old;
  int bytes;
  MPI_Buffer_detach(&old, &bytes);
  say("bytes", bytes);
}

NOINLINE static void receiver(void) {
  int data[large], answer = 5, last;
  MPI_Send(&answer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  nap(50);
  MPI_Recv(data, large, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&last, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("data", total(data, large) + last);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    sender();
  else
    receiver();
  MPI_Finalize();
  return 0;
}
