// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop under `m > -1`, then two under `m > 1`: clang threads the guards, so one arm of the first leads to the other.
// The first guard alone does not determine the passed values (ArmNumbers.cpp). With one row the last loop is empty.
// RUN: %same %s -o %t -n 1,2
#include "Inputs/soundness.h"

enum { cells = 40 };

NOINLINE static void step(float *u, float *v, float *w, const int *col, int m, int n, const int *neighbor) {
  int s = n + 2;
  for (long i = 1; i < m + 2; ++i)
    for (int j = 1; j < n; ++j)
      v[i * s + j] = u[(i + 1) * s + j] * 1.25f + v[(i + 1) * s + j] * 0.375f + (float)i;
  for (int i = 1; i < m; ++i)
    w[i + s] = w[col[i] + m * s] * 0.125f;
  MPI_Sendrecv(&u[s + 1], n, MPI_FLOAT, neighbor[0], 0, &w[m * s], n, MPI_FLOAT, neighbor[1], 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i < m; ++i)
    for (int j = 1; j < n + 1; ++j)
      v[i * s + j] = v[(i + 1) * s + j] * 0.375f;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int neighbor[2] = {(rank + 1) % size, (rank + size - 1) % size}, col[cells];
  for (int i = 0; i < cells; ++i)
    col[i] = i * 5 % 7;
  for (int m = 0; m < 5; ++m)
    for (int n = 1; n < 4; ++n) {
      float *field[3];
      double sum = 0;
      for (int k = 0; k < 3; ++k) {
        field[k] = malloc(sizeof(float) * cells);
        for (int i = 0; i < cells; ++i)
          field[k][i] = (float)((i * 37 + rank * 5 + k) % 101);
      }
      step(field[0], field[1], field[2], col, m, n, neighbor);
      for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < cells; ++i)
          sum = sum * 0.5 + field[k][i];
        free(field[k]);
      }
      printf("rank %d: %d rows of %d: %a\n", rank, m, n, sum);
    }
  MPI_Finalize();
  return 0;
}
