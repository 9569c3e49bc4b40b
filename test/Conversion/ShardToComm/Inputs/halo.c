// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates the halo and checks every element; those at the two ends of the grid have no neighbor and keep their value.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 8 };

// MLIR's memref descriptor of rank 1.
typedef struct {
  int *allocated, *aligned;
  intptr_t offset, sizes[1], strides[1];
} Vector;

extern void _mlir_ciface_halo(Vector *a);

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, data[N + 2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < N + 2; ++i)
    data[i] = i == 0 || i == N + 1 ? -1 : rank * N + i;
  Vector a = {data, data, 0, {N + 2}, {1}};
  _mlir_ciface_halo(&a);

  int wrong = 0, allWrong = 0;
  for (int i = 0; i < N + 2; ++i) {
    int outside = (i == 0 && rank == 0) || (i == N + 1 && rank == size - 1);
    int expected = outside ? -1 : rank * N + i;
    if (data[i] != expected) {
      printf("rank %d: a(%d) is %d and should be %d\n", rank, i, data[i], expected);
      ++wrong;
    }
  }
  MPI_Allreduce(&wrong, &allWrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("halo on %d: %d wrong\n", size, allWrong);
  MPI_Finalize();
  return allWrong != 0;
}
