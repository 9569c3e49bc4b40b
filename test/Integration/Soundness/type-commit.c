// A datatype is committed before its use and freed after it, even if a copy of its handle is used.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Recv
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void sender(MPI_Datatype copy, MPI_Datatype *type) {
  int data[few * few], answer = 0;
  fill(data, few * few, 1);
  MPI_Recv(&answer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  MPI_Type_commit(type);
  MPI_Send(data, 1, copy, 1, 1, MPI_COMM_WORLD);
  work(values);
  MPI_Type_free(type);
  say("answer", answer);
  say("value", values[3] > 0);
}

NOINLINE static void receiver(void) {
  int data[few], answer = 5;
  MPI_Send(&answer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  nap(50);
  MPI_Recv(data, few, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("data", total(data, few));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Datatype type;
  MPI_Type_vector(few, 1, few, MPI_INT, &type);
  if (rank == 0)
    sender(type, &type);
  else
    receiver();
  MPI_Finalize();
  return 0;
}
