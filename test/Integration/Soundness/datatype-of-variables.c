// A datatype that leads from one variable to another, as textbooks build it.
// RUN: %same %s -o %t -n 1,2
#include "Inputs/soundness.h"

static double first, second, results[steps];

NOINLINE static MPI_Datatype make(void) {
  int lengths[2] = {1, 1};
  MPI_Aint displacements[2] = {0}, begin, other;
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE}, both;
  MPI_Get_address(&first, &begin);
  MPI_Get_address(&second, &other);
  displacements[1] = other - begin;
  MPI_Type_create_struct(2, lengths, displacements, types, &both);
  MPI_Type_commit(&both);
  return both;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Datatype both = make();
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) {
    nap(50);
    first = 1;
    second = 2;
    for (int other = 1; other < size; ++other)
      MPI_Send(&first, 1, both, other, 0, MPI_COMM_WORLD);
  } else {
    MPI_Irecv(&first, 1, both, 0, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double sum = 0;
  for (int i = 0; i < steps; ++i)
    results[i] = second * i;
  for (int i = 0; i < steps; ++i)
    sum += results[i];
  say("sum", (long)sum);
  MPI_Recv(&first, 1, both, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&first, 1, MPI_DOUBLE, (rank + 1) % size, 1, &second, 1, MPI_DOUBLE, (rank + size - 1) % size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("second", (long)second);
  if (rank == 0)
    nap(50);
  MPI_Bcast(&first, 1, both, 0, MPI_COMM_WORLD);
  sum = 0;
  for (int i = 0; i < steps; ++i)
    results[i] = second * i;
  for (int i = 0; i < steps; ++i)
    sum += results[i];
  say("sum", (long)sum);
  MPI_Type_free(&both);
  MPI_Finalize();
}
