// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests in a static array, filled using a counter for the existing neighbors; the buffers are
// swapped in each step. If one request is left for the next step, its data is in flight in the
// loop.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { columns = 40, most = 12, places = (most + 2) * columns };
static int first[places], second[places], late[columns];
static unsigned long sum;

NOINLINE void turns(int *u, int *v, int rows, int number) {
  MPI_Request requests[4];
  for (int step = 0; step < number; ++step) {
    int used = 0;
    if (rank > 0) {
      MPI_Isend(u + columns, columns, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, &requests[used++]);
      MPI_Irecv(u, columns, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, &requests[used++]);
    }
    if (rank < size - 1) {
      MPI_Isend(u + rows * columns, columns, MPI_INT, rank + 1, 1, MPI_COMM_WORLD, &requests[used++]);
      MPI_Irecv(u + (rows + 1) * columns, columns, MPI_INT, rank + 1, 0, MPI_COMM_WORLD, &requests[used++]);
    }
    MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
    // CHECK: remark: splits the loop at counted-requests.c:[[#@LINE+1]]
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns; ++j)
        v[i * columns + j] = (u[(i - 1) * columns + j] + 3 * u[i * columns + j] + u[(i + 1) * columns + j]) % 1009;
    int *other = u;
    u = v;
    v = other;
  }
}

// The last request of a step is completed in the next one.
NOINLINE void leave(int *u, int *v, int rows, int number) {
  MPI_Request requests[5];
  int left = 0;
  for (int step = 0; step < number; ++step) {
    int used = 0;
    if (rank > 0)
      MPI_Isend(u + columns, columns, MPI_INT, rank - 1, step, MPI_COMM_WORLD, &requests[used++]);
    if (rank < size - 1)
      MPI_Irecv(u + (rows + 1) * columns, columns, MPI_INT, rank + 1, step, MPI_COMM_WORLD, &requests[used++]);
    MPI_Waitall(used - (used && step % 2), requests, MPI_STATUSES_IGNORE);
    left = used && step % 2;
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns; ++j)
        late[j] += v[i * columns + j];
    if (left)
      MPI_Waitall(1, &requests[used - 1], MPI_STATUSES_IGNORE);
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < columns; ++j)
        v[i * columns + j] = (u[i * columns + j] + u[(i + 1) * columns + j]) % 1009;
    int *other = u;
    u = v;
    v = other;
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int rows = 1; rows <= most; rows += rows < 3 ? 1 : most - 3) {
    for (int i = 0; i < places; ++i) {
      first[i] = (i * 37 + rank * 11) % 101;
      second[i] = i % 7;
    }
    turns(first, second, rows, 5);
    leave(first, second, rows, 5);
    for (int i = 0; i < places; ++i)
      sum = sum * 3 + (unsigned)first[i] * 5 + (unsigned)second[i];
    for (int j = 0; j < columns; ++j)
      sum = sum * 5 + (unsigned)late[j];
    printf("rank %d, %d rows: %lu\n", rank, rows, sum);
  }
  MPI_Finalize();
  return 0;
}
