// Arrays of counts and displacements stay as they are while a v-collective is in flight.
// RUN: %same %s -o %t -n 1,2,4
#include "Inputs/soundness.h"

static double values[steps];

static void both(void) {
  int data[few], counts[8], displacements[8], table[8 * few];
  memset(table, 0, sizeof table);
  fill(data, few, 100 * rank);
  for (int i = 0; i < size; ++i)
    counts[i] = 1 + i, displacements[i] = i * few;
  nap(rank * 20);
  MPI_Gatherv(data, 1 + rank, MPI_INT, table, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD);
  work(values);
  for (int i = 0; i < size; ++i)
    counts[i] = few, displacements[i] = (size - 1 - i) * few;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, table, counts, displacements, MPI_INT, MPI_COMM_WORLD);
  work(values);
  memset(counts, 0, sizeof counts);
  memset(displacements, -1, sizeof displacements);
  say("table", total(table, few * size));
  MPI_Allreduce(MPI_IN_PLACE, data, few, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  work(values);
  data[0] += 3;
  say("data", total(data, few) + counts[0]);
}

#define first both
#define second both

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0)
    first();
  else
    second();
  MPI_Finalize();
  return 0;
}
