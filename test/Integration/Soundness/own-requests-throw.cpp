// A call that throws between the program's own start and wait is unchanged: no wait is added to the exception's path,
// where nothing has been sent yet.
// RUN: %samexx %s -o %t -n 2 --overlaps MPI_Irecv
#include "Inputs/soundness.h"

#include <new>

static double values[steps];
static int *volatile kept;

NOINLINE static void exchange(int *in, int *out, size_t bytes) {
  MPI_Request request;
  MPI_Irecv(in, many, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
  int *before = new int[bytes / sizeof(int)]; // nothing has been sent: a wait would never return
  MPI_Send(out, many, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  work(values);
  kept = before;
  say("sum", total(in, many));
  delete[] before;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int *in = (int *)malloc(many * sizeof(int)), *out = (int *)malloc(many * sizeof(int));
  fill(in, many, 1);
  fill(out, many, 5 + rank);
  exchange(in, out, 64);
  try {
    exchange(in, out, size_t(1) << 46);
  } catch (const std::bad_alloc &) {
    say("caught", 1);
  }
  fflush(stdout);
  // The receive of the second call is still posted: send a message for it, so that the program ends normally.
  MPI_Send(out, many, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
