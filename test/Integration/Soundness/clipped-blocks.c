// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a matrix with global indices, whose edge is not computed: it clips the bounds. Rows are packed into memory
// that only some processes allocate, and exchanged before columns are sent; all later code needs the unpacking of two
// rows, and the next message partly sends them.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Wait
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

#define RADIUS 2
#define IN(i, j) in[(i) - left + RADIUS + ((j) - top + RADIUS) * (width + 2 * RADIUS)]
#define OUT(i, j) out[(i) - left + ((j) - top) * width]
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

static double *allocate(int cells) {
  void *memory = NULL;
  if (posix_memalign(&memory, 64, cells * sizeof(double)))
    exit(1);
  return memory;
}

// CHECK-DAG: remark: splits the loop at clipped-blocks.c:[[#@LINE+76]]: iterations of 2 nested loops that touch nothing in flight
// CHECK-DAG: remark: MPI_Wait at clipped-blocks.c:[[#@LINE+34]], which completes {{.*}}, overlaps
NOINLINE static unsigned long blocks(int n, int columns, int turns) {
  int rows = size / columns, x = rank % columns, y = rank / columns;
  int width = n / columns, height = n / rows;
  int left = x * width, right = left + width - 1, top = y * height, bottom = top + height - 1;
  double *in = make((width + 2 * RADIUS) * (height + 2 * RADIUS), 1), *out = make(width * height, 3);
  double *below_out, *below_in, *above_out, *above_in, *right_out, *right_in, *left_out, *left_in;
  if (size > 1) {
    below_out = allocate(4 * RADIUS * width);
    below_in = below_out + RADIUS * width;
    above_out = below_out + 2 * RADIUS * width;
    above_in = below_out + 3 * RADIUS * width;
    right_out = allocate(4 * RADIUS * height);
    right_in = right_out + RADIUS * height;
    left_out = right_out + 2 * RADIUS * height;
    left_in = right_out + 3 * RADIUS * height;
  }
  MPI_Request request[8];
  for (int t = 0; t < turns; ++t) {
    if (y < rows - 1) {
      MPI_Irecv(below_in, RADIUS * width, MPI_DOUBLE, rank + columns, 1, MPI_COMM_WORLD, &request[1]);
      for (int k = 0, j = bottom - RADIUS + 1; j <= bottom; ++j)
        for (int i = left; i <= right; ++i)
          below_out[k++] = IN(i, j);
      MPI_Isend(below_out, RADIUS * width, MPI_DOUBLE, rank + columns, 2, MPI_COMM_WORLD, &request[0]);
    }
    if (y > 0) {
      MPI_Irecv(above_in, RADIUS * width, MPI_DOUBLE, rank - columns, 2, MPI_COMM_WORLD, &request[3]);
      for (int k = 0, j = top; j <= top + RADIUS - 1; ++j)
        for (int i = left; i <= right; ++i)
          above_out[k++] = IN(i, j);
      MPI_Isend(above_out, RADIUS * width, MPI_DOUBLE, rank - columns, 1, MPI_COMM_WORLD, &request[2]);
    }
    if (y < rows - 1) {
      MPI_Wait(&request[0], MPI_STATUS_IGNORE);
      MPI_Wait(&request[1], MPI_STATUS_IGNORE);
      for (int k = 0, j = bottom + 1; j <= bottom + RADIUS; ++j)
        for (int i = left; i <= right; ++i)
          IN(i, j) = below_in[k++];
    }
    if (y > 0) {
      MPI_Wait(&request[2], MPI_STATUS_IGNORE);
      MPI_Wait(&request[3], MPI_STATUS_IGNORE);
      for (int k = 0, j = top - RADIUS; j <= top - 1; ++j)
        for (int i = left; i <= right; ++i)
          IN(i, j) = above_in[k++];
    }
    if (x < columns - 1) {
      MPI_Irecv(right_in, RADIUS * height, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD, &request[5]);
      for (int k = 0, j = top; j <= bottom; ++j)
        for (int i = right - RADIUS + 1; i <= right; ++i)
          right_out[k++] = IN(i, j);
      MPI_Isend(right_out, RADIUS * height, MPI_DOUBLE, rank + 1, 4, MPI_COMM_WORLD, &request[4]);
    }
    if (x > 0) {
      MPI_Irecv(left_in, RADIUS * height, MPI_DOUBLE, rank - 1, 4, MPI_COMM_WORLD, &request[7]);
      for (int k = 0, j = top; j <= bottom; ++j)
        for (int i = left; i <= left + RADIUS - 1; ++i)
          left_out[k++] = IN(i, j);
      MPI_Isend(left_out, RADIUS * height, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, &request[6]);
    }
    if (x < columns - 1) {
      MPI_Wait(&request[4], MPI_STATUS_IGNORE);
      MPI_Wait(&request[5], MPI_STATUS_IGNORE);
      for (int k = 0, j = top; j <= bottom; ++j)
        for (int i = right + 1; i <= right + RADIUS; ++i)
          IN(i, j) = right_in[k++];
    }
    if (x > 0) {
      MPI_Wait(&request[6], MPI_STATUS_IGNORE);
      MPI_Wait(&request[7], MPI_STATUS_IGNORE);
      for (int k = 0, j = top; j <= bottom; ++j)
        for (int i = left - RADIUS; i <= left - 1; ++i)
          IN(i, j) = left_in[k++];
    }
    for (int j = LARGER(top, RADIUS); j <= SMALLER(n - RADIUS - 1, bottom); ++j)
      for (int i = LARGER(left, RADIUS); i <= SMALLER(n - RADIUS - 1, right); ++i)
        for (int k = 1; k <= RADIUS; ++k)
          OUT(i, j) += IN(i, j - k) + 2 * IN(i, j + k) + 3 * IN(i - k, j) + 4 * IN(i + k, j);
    for (int j = top; j <= bottom; ++j)
      for (int i = left; i <= right; ++i)
        IN(i, j) += 1.0;
  }
  unsigned long sum = digits(out, width * height) * 31 + digits(in, (width + 2 * RADIUS) * (height + 2 * RADIUS));
  free(in), free(out);
  if (size > 1)
    free(below_out), free(right_out);
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  const int sizes[] = {4, 6, 12, 122, 240};
  for (int columns = 1; columns <= size; columns *= 2)
    for (int i = 0; i < 5; ++i)
      printf("rank %d: %d %d %lx\n", rank, columns, sizes[i], blocks(sizes[i], columns, 3));
  MPI_Finalize();
  return 0;
}
