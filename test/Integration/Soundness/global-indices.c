// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a matrix with global indices, and neighbors that may not exist: a start and its wait, each in a separate
// branch, with loops that pack and unpack. The program ends with exit.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Wait
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

static double *allocate(int cells, int seed) {
  void *memory = NULL;
  if (posix_memalign(&memory, 64, cells * sizeof(double)))
    exit(1);
  double *cell = memory, *from = make(cells, seed);
  memcpy(cell, from, cells * sizeof(double));
  free(from);
  return cell;
}

#define IN(i, j) in[(i) - left + 1 + ((j) - top + 1) * (width + 2)]
#define OUT(i, j) out[(i) - left + ((j) - top) * width]

/// All processes in rows and columns, as many of each as can be.
// CHECK-DAG: remark: splits the loop at global-indices.c:[[#@LINE+56]]: iterations of 2 nested loops that touch nothing in flight
// CHECK-DAG: remark: splits the loop at global-indices.c:[[#@LINE+58]]: iterations of 2 nested loops that touch nothing in flight
NOINLINE static unsigned long blocks(int n, int turns) {
  int columns = 1;
  while ((columns + 1) * (columns + 1) <= size && size % (columns + 1) == 0)
    ++columns;
  int rows = size / columns, x = rank % columns, y = rank / columns;
  int width = n / columns, height = n / rows;
  int left = x * width, right = left + width - 1, top = y * height, bottom = top + height - 1;
  double *in = allocate((width + 2) * (height + 2), rank), *out = allocate(width * height, 3);
  double *packed = columns > 1 ? allocate(4 * height, 5) : NULL;
  double *right_out, *right_in, *left_out, *left_in;
  if (columns > 1) {
    right_out = packed;
    right_in = packed + height;
    left_out = packed + 2 * height;
    left_in = packed + 3 * height;
  }
  MPI_Request request[8];
  for (int t = 0; t < turns; ++t) {
    if (y < rows - 1) {
      MPI_Irecv(&IN(left, bottom + 1), width, MPI_DOUBLE, rank + columns, 1, MPI_COMM_WORLD, &request[0]);
      MPI_Isend(&IN(left, bottom), width, MPI_DOUBLE, rank + columns, 2, MPI_COMM_WORLD, &request[1]);
    }
    if (y > 0) {
      MPI_Irecv(&IN(left, top - 1), width, MPI_DOUBLE, rank - columns, 2, MPI_COMM_WORLD, &request[2]);
      MPI_Isend(&IN(left, top), width, MPI_DOUBLE, rank - columns, 1, MPI_COMM_WORLD, &request[3]);
    }
    if (x < columns - 1) {
      MPI_Irecv(right_in, height, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD, &request[4]);
      for (int k = 0, j = top; j <= bottom; ++j)
        right_out[k++] = IN(right, j);
      MPI_Isend(right_out, height, MPI_DOUBLE, rank + 1, 4, MPI_COMM_WORLD, &request[5]);
    }
    if (x > 0) {
      MPI_Irecv(left_in, height, MPI_DOUBLE, rank - 1, 4, MPI_COMM_WORLD, &request[6]);
      for (int k = 0, j = top; j <= bottom; ++j)
        left_out[k++] = IN(left, j);
      MPI_Isend(left_out, height, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, &request[7]);
    }
    if (y < rows - 1)
      MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (y > 0)
      MPI_Waitall(2, &request[2], MPI_STATUSES_IGNORE);
    if (x < columns - 1) {
      MPI_Wait(&request[5], MPI_STATUS_IGNORE);
      MPI_Wait(&request[4], MPI_STATUS_IGNORE);
      for (int k = 0, j = top; j <= bottom; ++j)
        IN(right + 1, j) = right_in[k++];
    }
    if (x > 0) {
      MPI_Wait(&request[7], MPI_STATUS_IGNORE);
      MPI_Wait(&request[6], MPI_STATUS_IGNORE);
      for (int k = 0, j = top; j <= bottom; ++j)
        IN(left - 1, j) = left_in[k++];
    }
    for (int j = top; j <= bottom; ++j)
      for (int i = left; i <= right; ++i)
        OUT(i, j) += IN(i, j - 1) + 2 * IN(i, j + 1) + 3 * IN(i - 1, j) + 4 * IN(i + 1, j);
    for (int j = top; j <= bottom; ++j)
      for (int i = left; i <= right; ++i)
        IN(i, j) = OUT(i, j) / 8;
  }
  unsigned long sum = digits(out, width * height);
  free(in), free(out), free(packed);
  return sum;
}

/// The wait is for the message of the previous step, when the condition was different.
NOINLINE static unsigned long turns(int n) {
  double *u = make(2 * n, 1), *v = make(n, 2);
  MPI_Request request = MPI_REQUEST_NULL;
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int t = 0; t < 6; ++t) {
    int starts = t % 2 == 0;
    if (starts) {
      MPI_Irecv(u, n, MPI_DOUBLE, last, t, MPI_COMM_WORLD, &request);
      MPI_Send(v, n, MPI_DOUBLE, next, t, MPI_COMM_WORLD);
    }
    for (int i = 0; i < n; ++i)
      v[i] = v[i] * 0.5 + i;
    if (!starts)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
      continue;
    for (int i = 0; i < n; ++i)
      v[i] += u[i];
  }
  unsigned long sum = digits(v, n) + digits(u, 2 * n);
  free(u), free(v);
  return sum;
}

/// A request of the step before may be active where this step has started none.
NOINLINE static unsigned long leftOver(int n, const int *starts, const int *waits) {
  double *u = make(2 * n, 1), *v = make(n, 2);
  MPI_Request request = MPI_REQUEST_NULL;
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int t = 0; t < 6; ++t) {
    int any = starts[t];
    if (any) {
      MPI_Irecv(u, n, MPI_DOUBLE, last, t, MPI_COMM_WORLD, &request);
      MPI_Send(v, n, MPI_DOUBLE, next, t, MPI_COMM_WORLD);
    }
    if (waits[t])
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (waits[t])
      for (int i = 0; i < n; ++i)
        v[i] += u[i];
  }
  unsigned long sum = digits(v, n) + digits(u, 2 * n);
  free(u), free(v);
  return sum;
}

/// A failed allocation leaves the variable unchanged.
NOINLINE static int refuse(size_t alignment, size_t bytes) {
  void *memory = &rank;
  int code = posix_memalign(&memory, alignment, bytes);
  return code * 10 + (memory == &rank);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  const int starts[] = {1, 0, 1, 0, 1, 0}, waits[] = {0, 1, 1, 0, 0, 1};
  for (int n = 4; n < 20; n += 4)
    printf("rank %d: %d %lx %lx %lx\n", rank, n, blocks(n, 4), turns(n), leftOver(n, starts, waits));
  printf("rank %d: %d\n", rank, refuse(3, 64));
  MPI_Finalize();
  exit(0);
}
