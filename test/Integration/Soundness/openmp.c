// A parallel region reads results of earlier code.
// RUN: %same %s -o %t -n 2 -- -fopenmp
#include "Inputs/soundness.h"

static double values[steps];
static int buffer[few], parts[64];

NOINLINE static void first(void) {
  MPI_Recv(buffer, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    parts[i] = buffer[i % few] + i;
  say("parts", total(parts, 64));
#pragma omp parallel
  {
#pragma omp master
    MPI_Recv(buffer, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 64; ++i)
      parts[i] = buffer[i % few] * i;
  }
  say("parts", total(parts, 64));
}

NOINLINE static void second(void) {
  int data[few];
  for (int tag = 0; tag < 2; ++tag) {
    fill(data, few, 5 + tag);
    nap(100);
    MPI_Send(data, few, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
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
