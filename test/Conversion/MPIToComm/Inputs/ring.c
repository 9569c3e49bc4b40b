// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls the functions of ring.mlir and checks the received and computed data.
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// MLIR's memref descriptor of rank 1.
typedef struct {
  int *allocated, *aligned;
  intptr_t offset, sizes[1], strides[1];
} Vector;

extern bool _mlir_ciface_ring(Vector *in, Vector *out);
extern bool _mlir_ciface_groups(Vector *buffer, Vector *sum);
extern bool _mlir_ciface_wrong_rank(Vector *buffer);

static Vector wrap(int *data, int size) {
  Vector v = {data, data, 0, {size}, {1}};
  return v;
}

static int wrong, rank;
static void check(const char *what, int got, int expected) {
  if (got != expected) {
    printf("rank %d: %s is %d and should be %d\n", rank, what, got, expected);
    ++wrong;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size, in[4], out[4] = {-1, -1, -1, -1};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 4; ++i)
    in[i] = 10 * rank + i;
  Vector vin = wrap(in, 4), vout = wrap(out, 4);
  check("ring", _mlir_ciface_ring(&vin, &vout), 1);
  for (int i = 0; i < 4; ++i)
    check("out", out[i], 10 * ((rank + size - 1) % size) + i);

  int value = rank, sum = -1, expectedSum = 0, last = rank;
  for (int r = rank % 2; r < size; r += 2) {
    expectedSum += r;
    last = r;
  }
  Vector vvalue = wrap(&value, 1), vsum = wrap(&sum, 1);
  check("groups", _mlir_ciface_groups(&vvalue, &vsum), 1);
  check("sum", sum, expectedSum);
  check("maximum", value, last);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check("wrong_rank", _mlir_ciface_wrong_rank(&vvalue), 1);
  int allWrong = 0;
  MPI_Allreduce(&wrong, &allWrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("ring on %d: %d wrong\n", size, allWrong);
  MPI_Finalize();
  return allWrong != 0;
}
