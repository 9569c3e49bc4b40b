// The program's own nonblocking messages: their waits move down to their users, but never up to their starts, where two
// ranks would wait for each other before either has sent. Statements that the program keeps apart stay apart.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Irecv
#include "Inputs/soundness.h"

static double values[steps];

/// Nothing can move across the receive's wait, so its interval is useless; the other communication reorders the
/// statements.
NOINLINE static void nothing_to_gain(int *in, int *out, int *root) {
  MPI_Request request;
  MPI_Irecv(in, many, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(out, many, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("first", total(in, many));
  MPI_Bcast(root, many, MPI_INT, 0, MPI_COMM_WORLD);
  work(values);
  say("root", total(root, many));
}

/// The messages are too large to be sent before they are received: a wait for the own message would never return.
NOINLINE static void halo(int *in, int *out) {
  MPI_Request requests[4];
  MPI_Irecv(in, many, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + many, many, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, many, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out + many, many, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  work(values);                  // overlaps
  fill(out + many, many, 3);     // not before its send is complete
  say("left", total(in, many));  // nor these before their input has arrived
  say("right", total(in + many, many));
}

/// A status, and a receive buffer that is read through another pointer.
NOINLINE static void status(int *in, int *out) {
  MPI_Request request;
  MPI_Status status;
  int *last = in + many - 1, count = 0;
  MPI_Irecv(in, many, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, &request);
  MPI_Send(out, many / 2, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  work(values);
  MPI_Get_count(&status, MPI_INT, &count);
  say("count", count);
  say("last", *last);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int *in = (int *)malloc(2 * many * sizeof(int)), *out = (int *)malloc(2 * many * sizeof(int));
  fill(in, 2 * many, 1);
  fill(out, 2 * many, 5 + rank);
  nothing_to_gain(in, out, in + many);
  halo(in, out);
  status(in, out);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
