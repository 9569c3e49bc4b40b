// A parallel region does not write data that is being sent.
// RUN: env OMP_NUM_THREADS=2 %same %s -o %t -n 2 --overlaps MPI_Send -- -fopenmp
#include "Inputs/soundness.h"

static double values[steps];
static int everywhere[many];

NOINLINE static void needsNothing(int *buffer) {
  MPI_Send(buffer, many, MPI_INT, 1, 0, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 1; i < steps; ++i)
    values[i] = values[i] * 0.5 + i;
  say("apart", (long)values[9]);
}

NOINLINE static void byArgument(int *buffer) {
  MPI_Send(buffer, many, MPI_INT, 1, 1, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < many; ++i)
    buffer[i] += 3;
  say("by argument", buffer[5]);
}

NOINLINE static void byName(int *pointer) {
  MPI_Send(pointer, many, MPI_INT, 1, 2, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < many; ++i)
    everywhere[i] *= 5;
  say("by name", pointer[5]);
}

NOINLINE static void throughMemory(int **rows) {
  MPI_Send(rows[1], many, MPI_INT, 1, 3, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < many; ++i)
    rows[1][i] -= i;
  say("through memory", rows[1][5]);
}

NOINLINE static void lastOne(int *buffer) {
  int last = 7;
  MPI_Ssend(&last, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < many; ++i)
    last = buffer[i];
  say("last", last);
}

NOINLINE static void first(void) {
  int *buffer = (int *)malloc(many * sizeof(int)), *rows[2] = {buffer, everywhere};
  fill(buffer, many, 1);
  fill(everywhere, many, 9);
  needsNothing(buffer);
  byArgument(buffer);
  byName(everywhere);
  throughMemory(rows);
  lastOne(buffer);
  free(buffer);
}

NOINLINE static void second(void) {
  int *buffer = (int *)malloc(many * sizeof(int));
  for (int tag = 0; tag < 5; ++tag) {
    nap(60);
    MPI_Recv(buffer, many, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("received", total(buffer, tag == 4 ? 1 : many));
  }
  free(buffer);
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
