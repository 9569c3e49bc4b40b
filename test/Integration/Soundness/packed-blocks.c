// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a plane whose columns are packed, sent and unpacked only if there is a neighbor; a structure on the stack
// describes them. Each branch is a unit, so points that do not access a ghost need not wait.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Waitall at packed-blocks.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

typedef struct {
  int nx, ny, left, right, up, down;
  double *a, *b, *to_left, *to_right, *from_left, *from_right;
  MPI_Comm comm;
} Block;

static void exchange(Block *block) {
  int width = block->nx + 2, n = 0;
  double *a = block->a;
  MPI_Request requests[8];
  if (block->left != MPI_PROC_NULL) {
    for (int j = 0; j < block->ny; ++j)
      block->to_left[j] = a[(j + 1) * width + 1];
    MPI_Isend(block->to_left, block->ny, MPI_DOUBLE, block->left, 0, block->comm, &requests[n++]);
    MPI_Irecv(block->from_left, block->ny, MPI_DOUBLE, block->left, 1, block->comm, &requests[n++]);
  }
  if (block->right != MPI_PROC_NULL) {
    for (int j = 0; j < block->ny; ++j)
      block->to_right[j] = a[(j + 1) * width + block->nx];
    MPI_Isend(block->to_right, block->ny, MPI_DOUBLE, block->right, 1, block->comm, &requests[n++]);
    MPI_Irecv(block->from_right, block->ny, MPI_DOUBLE, block->right, 0, block->comm, &requests[n++]);
  }
  if (block->up != MPI_PROC_NULL) {
    MPI_Isend(a + block->ny * width, width, MPI_DOUBLE, block->up, 2, block->comm, &requests[n++]);
    MPI_Irecv(a + (block->ny + 1) * width, width, MPI_DOUBLE, block->up, 3, block->comm, &requests[n++]);
  }
  if (block->down != MPI_PROC_NULL) {
    MPI_Isend(a + width, width, MPI_DOUBLE, block->down, 3, block->comm, &requests[n++]);
    MPI_Irecv(a, width, MPI_DOUBLE, block->down, 2, block->comm, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  if (block->left != MPI_PROC_NULL)
    for (int j = 0; j < block->ny; ++j)
      block->a[(j + 1) * width] = block->from_left[j];
  if (block->right != MPI_PROC_NULL)
    for (int j = 0; j < block->ny; ++j)
      block->a[(j + 1) * width + block->nx + 1] = block->from_right[j];
}

static void sweep(Block *block) {
  int width = block->nx + 2;
  // CHECK-DAG: packed-blocks.c:[[#@LINE+1]]:{{[0-9]+}}: remark: splits the loop at {{.*}}: iterations of 2 nested loops
  for (int j = 1; j <= block->ny; ++j)
    for (int i = 1; i <= block->nx; ++i)
      block->b[j * width + i] = 0.25 * (block->a[j * width + i - 1] + block->a[j * width + i + 1] +
                                        block->a[(j - 1) * width + i] + block->a[(j + 1) * width + i]);
  double *old = block->a;
  block->a = block->b;
  block->b = old;
}

NOINLINE static void run(int nx, int ny, int steps) {
  int dims[2] = {0, 0}, periodic[2] = {nx % 2, 0};
  Block block;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &block.comm);
  MPI_Cart_shift(block.comm, 0, 1, &block.left, &block.right);
  MPI_Cart_shift(block.comm, 1, 1, &block.down, &block.up);
  block.nx = nx;
  block.ny = ny;
  int points = (nx + 2) * (ny + 2);
  double *columns = malloc(4 * (ny + 1) * sizeof(double));
  block.a = malloc(points * sizeof(double));
  block.b = malloc(points * sizeof(double));
  block.to_left = columns;
  block.to_right = columns + ny;
  block.from_left = columns + 2 * ny;
  block.from_right = columns + 3 * ny;
  for (int i = 0; i < points; ++i)
    block.a[i] = block.b[i] = (i * 37 + rank * 11) % 101 / 7.0;
  for (int step = 0; step < steps; ++step) {
    exchange(&block);
    sweep(&block);
  }
  unsigned long sum = 0;
  for (int i = 0; i < points; ++i)
    sum = sum * 31 + (unsigned long)(block.a[i] * 1000);
  printf("rank %d: %d %d %lx\n", rank, nx, ny, sum);
  free(block.a);
  free(block.b);
  free(columns);
  MPI_Comm_free(&block.comm);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int nx = 0; nx < 6; ++nx)
    for (int ny = 0; ny < 5; ++ny)
      run(nx, ny, 3);
  run(200, 150, 10);
  MPI_Finalize();
  return 0;
}
