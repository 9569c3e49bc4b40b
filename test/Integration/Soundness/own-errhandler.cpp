// The program's own error handler may run in any MPI call: its writes are visible after the call, and its exceptions
// come from the call.
// RUN: %samexx %s -o %t -n 2
// It is made in another file: the functions ask the linker, and run as they were written.
// RUN: %samexx %s -o %t.files -n 2 --overlaps "MPI_Send at own-errhandler.cpp" -- -DOTHER_FILE %S/Inputs/own-errhandler-make.cpp
// Comm does not compile that file: import tables of the executable or library name the function that makes the handler.
// RUN: %mpicxx -O2 -fPIC -c %S/Inputs/own-errhandler-make.cpp -o %t.foreign.o
// RUN: %samexx %s -o %t.foreign -n 2 --overlaps "MPI_Send at own-errhandler.cpp" -- -DOTHER_FILE %t.foreign.o
// RUN: %mpicxx -O2 -fPIC -shared %S/Inputs/own-errhandler-make.cpp -o %t.foreign.so
// RUN: %samexx %s -o %t.linked -n 2 --overlaps "MPI_Send at own-errhandler.cpp" -- -DOTHER_FILE -rdynamic %t.foreign.so
#include "Inputs/soundness.h"

int errors, stale;
bool throws;
static double values[steps];

#ifdef OTHER_FILE
void install(MPI_Comm comm);
#else
static void handle(MPI_Comm *, int *, ...) {
  ++errors;
  if (throws)
    throw 7;
}
static void install(MPI_Comm comm) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
}
#endif

// The message is longer than the buffer.
NOINLINE static void truncated(MPI_Comm comm) {
  int data[few] = {};
  errors = 0; // a start before this would lose the handler's writes
  MPI_Recv(data, 2, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
  int seen = errors;
  work(values);
  say("errors", seen);
}

// No process has that rank: the start is in error.
NOINLINE static void nobody(MPI_Comm comm) {
  int data[few] = {};
  work(values);
  errors = 0;
  MPI_Send(data, few, MPI_INT, 99, 0, comm);
  int seen = errors;
  say("errors", seen);
}

NOINLINE static int caught(MPI_Comm comm) {
  int data[few] = {};
  try {
    MPI_Send(data, few, MPI_INT, 99, 0, comm);
    work(values);
    return 0;
  } catch (int thrown) {
    return thrown;
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  install(comm);
  int data[few];
  fill(data, few, 3);
  MPI_Request request;
  MPI_Isend(data, few, MPI_INT, 1 - rank, 0, comm, &request);
  truncated(comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  nobody(comm);
  throws = true;
  say("caught", caught(comm));
  throws = false;
  MPI_Finalize();
  return 0;
}
