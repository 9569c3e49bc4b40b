// The displacements of a v-collective may be negative: it writes before the address that it is given.
// RUN: %same %s -o %t -n 1,2
#include "Inputs/soundness.h"

static double values[steps];
static int table[8 * few];

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int data[few], counts[8], displacements[8];
  fill(data, few, 100 * rank);
  fill(table, 8 * few, 1);
  for (int i = 0; i < size; ++i) {
    counts[i] = few;
    displacements[i] = -few * (i + 1);
  }
  nap(rank * 50);
  MPI_Allgatherv(data, few, MPI_INT, table + 4 * few, counts, displacements, MPI_INT, MPI_COMM_WORLD);
  work(values);
  long sum = 5 * table[3 * few] + table[3 * few + 1];
  say("sum", sum);
  say("more", total(table + 4 * few, 4 * few));
  MPI_Finalize();
  return 0;
}
