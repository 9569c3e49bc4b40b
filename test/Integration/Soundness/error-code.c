// An error code that the program reads is that of the call, at the place of the call.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void first(void) {
  int data[few], class;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int code = MPI_Recv(data, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // truncates
  work(values);
  MPI_Error_class(code, &class);
  say("truncated", class == MPI_ERR_TRUNCATE);
  code = MPI_Send(data, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD); // no such rank
  work(values);
  MPI_Error_class(code, &class);
  say("no such rank", class == MPI_ERR_RANK);
  code = MPI_Bcast(data, 1, MPI_INT, size + 3, MPI_COMM_WORLD);
  work(values);
  say("no such root", code != MPI_SUCCESS);
}

NOINLINE static void second(void) {
  int data[few];
  fill(data, few, 5);
  MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
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
