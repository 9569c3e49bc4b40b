// MPI_BOTTOM with a datatype of absolute addresses reaches any variable.
// RUN: %same %s -o %t -n 2
#include "Inputs/soundness.h"

static double values[steps];
static int x[few], y[few];

NOINLINE static void first(MPI_Datatype type, void *base) {
  int local[few], one = 1, got;
  fill(local, few, 4);
  MPI_Recv(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  long sum = total(x, few) + total(y, few);
  MPI_Recv(base, 1, type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  sum += total(x, few) - total(y, few);
  MPI_Sendrecv(&one, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  say("sum", sum + got);
}

/// A buffer that is computed from the same pointer, but not where that is MPI_BOTTOM.
NOINLINE static void third(MPI_Datatype type, int *restrict base, int isVariable) {
  MPI_Recv(base, 1, type, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  long sum = total(x, few) - total(y, few);
  if (isVariable)
    MPI_Send(base + 1, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  say("third", sum);
}

NOINLINE static void second(void) {
  int data[2 * few];
  fill(data, 2 * few, 10);
  for (int tag = 0; tag < 3; ++tag) {
    data[0] += tag;
    nap(100);
    MPI_Send(data, 2 * few, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Datatype type;
  MPI_Aint at[2];
  int lengths[2] = {few, few};
  MPI_Get_address(x, &at[0]);
  MPI_Get_address(y, &at[1]);
  MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (rank == 0)
    first(type, MPI_BOTTOM), third(type, argc > 7 ? (void *)values : MPI_BOTTOM, argc > 7);
  else
    second();
  MPI_Finalize();
  return 0;
}
