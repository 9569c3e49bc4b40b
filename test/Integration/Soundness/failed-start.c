// A failing call whose code is not read, under a handler that returns: the start made from it has no request, and its
// wait must not look for one.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Send
// RUN: %same %s -o %t.3 -n 2 --level=-O3
// Under the program's own handler, where nothing moves.
// RUN: %same %s -o %t.own -n 2 -- -DOWN
#include "Inputs/soundness.h"

static double values[steps];

#ifdef OWN
static int handled;

static void note(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}
#endif

/// Otherwise the request's slot on the stack may contain this.
NOINLINE static int dirty(int seed) {
  volatile int garbage[256];
  for (int i = 0; i < 256; ++i)
    garbage[i] = seed * i + 1;
  return garbage[seed];
}

NOINLINE static void ignored(void) {
  int data[few], received[few];
  fill(data, few, 3);
  fill(received, few, 4);
  MPI_Send(data, few, MPI_INT, size + 3, 0, MPI_COMM_WORLD); // no such rank
  work(values);
  say("sent to nobody", data[1]);
  MPI_Sendrecv(data, few, MPI_INT, 1 - rank, 1, received, few, MPI_INT, size + 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("received from nobody", total(received, few));
  MPI_Bcast(data, few, MPI_INT, size + 3, MPI_COMM_WORLD);
  work(values);
  say("no such root", total(data, few));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  say("garbage", dirty(rank + 1));
  ignored();
#ifdef OWN
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  say("garbage", dirty(rank + 3));
  ignored();
  MPI_Errhandler_free(&handler);
  say("handled", handled);
#endif
  MPI_Finalize();
  return 0;
}
