/* Sums of doubles by all ranks, against the order of recursive doubling: pairs from the beginning until a power of two is
 * left, then neighbors, as in MPI implementations. Prints how many of 200 sums have other digits. */
#include <mpi.h>
#include <stdio.h>

enum { rounds = 200, elements = 5, most = 64 };

static double recursive_doubling(double *terms, int n) {
  int whole = 1;
  while (whole * 2 <= n)
    whole *= 2;
  int pairs = n - whole;
  for (int i = 0; i < pairs; ++i)
    terms[i] = terms[2 * i] + terms[2 * i + 1];
  for (int i = pairs; i < whole; ++i)
    terms[i] = terms[i + pairs];
  for (int apart = 1; apart < whole; apart *= 2)
    for (int i = 0; i < whole; i += 2 * apart)
      terms[i] += terms[i + apart];
  return terms[0];
}

int main(int argc, char **argv) {
  int rank, size, different = 0;
  unsigned state = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < rounds; ++round) {
    double terms[elements][most], mine[elements], sums[elements];
    for (int e = 0; e < elements; ++e)
      for (int r = 0; r < size; ++r) {
        state = state * 1664525u + 1013904223u;
        terms[e][r] = (state >> 8) / 1e7 - 0.7;
      }
    for (int e = 0; e < elements; ++e)
      mine[e] = terms[e][rank];
    MPI_Allreduce(mine, sums, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    int other = 0;
    for (int e = 0; e < elements; ++e)
      other |= sums[e] != recursive_doubling(terms[e], size);
    different += other;
  }
  if (rank == 0)
    printf("%d ranks: %d of %d sums differ\n", size, different, rounds);
  MPI_Finalize();
  return 0;
}
