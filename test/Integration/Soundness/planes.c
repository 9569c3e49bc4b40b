// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// u[1 - now] of u[now]: two planes of one array, which may overlap if the program chooses their distance. Tested at run
// time (areIterationsIndependent).
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { columns = 40, rows = 8, places = 8 * (rows + 2) * columns };

NOINLINE void turns(int *u, int m, int apart, int now, int number, int up, int down) {
  for (int turn = 0; turn < number; ++turn) {
    int *old = u + now * apart, *new = u + (1 - now) * apart;
    MPI_Sendrecv(old + columns, columns, MPI_INT, up, 0, old + (m + 1) * columns, columns, MPI_INT, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // CHECK: remark: splits the loop at planes.c:[[#@LINE+1]]
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < columns; ++j)
        new[i * columns + j] = (old[(i - 1) * columns + j] * 3 + old[(i + 1) * columns + j]) % 1001;
    now = 1 - now;
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  static const int distances[] = {(rows + 2) * columns, 0, 1, columns, -columns, 2 * columns, rows * columns};
  static int space[places];
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  for (unsigned d = 0; d < sizeof(distances) / sizeof(int); ++d)
    for (int m = 1; m <= rows; m += rows - 1)
      for (int now = -1; now < 2; ++now) {
        for (int i = 0; i < places; ++i)
          space[i] = (i * 37 + rank * 11) % 101;
        turns(space + places / 2, m, distances[d], now, 3, up, down);
        unsigned long sum = 0;
        for (int i = 0; i < places; ++i)
          sum = sum * 3 + (unsigned)space[i];
        printf("rank %d: %d apart, %d rows from %d: %lu\n", rank, distances[d], m, now, sum);
      }
  MPI_Finalize();
  return 0;
}
