// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeatedly calls the function of exchange.mlir with its previous result, and prints the result of every rank.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

int64_t exchange(int64_t value, int64_t terms); // an index of MLIR is 64 bits wide here

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int64_t value = rank + 1, sums[64] = {0};
  for (int step = 0; step < 4; ++step)
    value = exchange(value % 1000, 100 + 10 * step);
  if (ranks <= 64)
    MPI_Gather(&value, 1, MPI_INT64_T, sums, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && ranks <= 64 && r < ranks; ++r)
    printf("rank %d of %d: %lld\n", r, ranks, (long long)sums[r]);
  MPI_Finalize();
  return 0;
}
