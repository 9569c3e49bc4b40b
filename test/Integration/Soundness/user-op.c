// An operator of the program's own has effects: it runs where the program calls the reduction.
// RUN: %same %s -o %t -n 1,2
#include "Inputs/soundness.h"

static double values[steps];
static int offset;

static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i)
    ((int *)inout)[i] += ((int *)in)[i] + offset;
}

NOINLINE static void reduce(MPI_Op op) {
  int data[few], result[few];
  fill(data, few, rank);
  offset = 100;
  MPI_Allreduce(data, result, few, MPI_INT, op, MPI_COMM_WORLD);
  work(values);
  offset = 5;
  // The implementation chooses how often, and at which ranks, it calls the operator, but not the result.
  MPI_Allreduce(data, data + 8, 8, MPI_INT, op, MPI_COMM_WORLD);
  offset = 0;
  work(values);
  say("result", total(result, few) + total(data, few));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  reduce(op);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
