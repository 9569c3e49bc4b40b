// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two exchanges in each step, the second of which sends results of the loop after the first: each overlaps the interior
// of the following loop, and the first one does not overlap both.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { columns = 12, most = 9 };

NOINLINE static void step(double *p, double *v, int m, int up, int down) {
  // CHECK-DAG: remark: MPI_Sendrecv at leapfrog.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Sendrecv(p + columns, columns, MPI_DOUBLE, up, 0, p + (m + 1) * columns, columns, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] -= 0.25 * (p[(i + 1) * columns + j] - p[i * columns + j]);
  // CHECK-DAG: remark: MPI_Sendrecv at leapfrog.c:[[#@LINE+1]] overlaps 1 loop
  MPI_Sendrecv(v + m * columns, columns, MPI_DOUBLE, down, 1, v, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < columns; ++j)
      p[i * columns + j] -= 0.25 * (v[i * columns + j] - v[(i - 1) * columns + j]);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int up = (rank + size - 1) % size, down = (rank + 1) % size;
  for (int m = 1; m <= most; ++m) {
    double *p = malloc(sizeof(double) * (m + 2) * columns), *v = malloc(sizeof(double) * (m + 2) * columns);
    for (int i = 0; i < (m + 2) * columns; ++i)
      p[i] = (i * 37 + rank * 11) % 89, v[i] = (i * 7 + rank) % 13;
    for (int t = 0; t < 4; ++t)
      step(p, v, m, up, down);
    double sum = 0;
    for (int i = columns; i < (m + 1) * columns; ++i)
      sum = sum * 0.5 + p[i] + v[i];
    printf("rank %d: %d rows: %a\n", rank, m, sum);
    free(p);
    free(v);
  }
  MPI_Finalize();
  return 0;
}
