// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls the sharded matrix product with this process's shards, and compares its rows of the result with the sums worked
// out here. All numbers are small integers, so that they are exact. Usage: matmul ROWS COLS
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8, M = 4 };

// MLIR's memref descriptor of rank 2.
typedef struct {
  double *allocated, *aligned;
  intptr_t offset, sizes[2], strides[2];
} Matrix;

extern void _mlir_ciface_matmul(Matrix *result, Matrix *a, Matrix *b, Matrix *c);

static double a(int i, int k) { return i + 2 * k + 1; }
static double b(int k, int j) { return 3 * k - j; }
static double c(int i, int j) { return 100 * i + j; }

static Matrix shard(double (*f)(int, int), int row, int rows, int col, int cols) {
  double *data = malloc(sizeof(double) * rows * cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      data[i * cols + j] = f(row + i, col + j);
  Matrix m = {data, data, 0, {rows, cols}, {cols, 1}};
  return m;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int gridRows = atoi(argv[1]), gridCols = atoi(argv[2]);
  if (gridRows * gridCols != size)
    MPI_Abort(MPI_COMM_WORLD, 2);
  int rows = N / gridRows, cols = N / gridCols;
  int row = rank / gridCols * rows, col = rank % gridCols * cols;
  Matrix sa = shard(a, row, rows, col, cols), sb = shard(b, col, cols, 0, M), sc = shard(c, row, rows, 0, M), result;
  _mlir_ciface_matmul(&result, &sa, &sb, &sc);

  int wrong = result.sizes[0] != rows || result.sizes[1] != M;
  for (int i = 0; i < rows && !wrong; ++i)
    for (int j = 0; j < M; ++j) {
      double expected = c(row + i, j);
      for (int k = 0; k < N; ++k)
        expected += a(row + i, k) * b(k, j);
      double got = result.aligned[result.offset + i * result.strides[0] + j * result.strides[1]];
      if (got != expected) {
        printf("rank %d: C(%d, %d) is %g and should be %g\n", rank, row + i, j, got, expected);
        ++wrong;
      }
    }
  int allWrong = 0;
  MPI_Allreduce(&wrong, &allWrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("matmul on %dx%d: %d wrong\n", gridRows, gridCols, allWrong);
  MPI_Finalize();
  return allWrong != 0;
}
