// Datatypes and communicators may be freed while they are in use, not before.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void first(void) {
  int data[few * few];
  fill(data, few * few, 1);
  MPI_Comm copy;
  MPI_Datatype column;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Type_vector(few, 1, few, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Send(data, 1, column, 1, 0, copy);
  work(values);
  MPI_Type_free(&column);
  MPI_Comm_free(&copy);
  work(values);
  say("column freed", column == MPI_DATATYPE_NULL);
  say("copy freed", copy == MPI_COMM_NULL);
}

NOINLINE static void second(void) {
  int data[few];
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  nap(50);
  MPI_Recv(data, few, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
  work(values);
  say("data", total(data, few));
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
