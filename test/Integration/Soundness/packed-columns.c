// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks whose columns are packed, sent, and unpacked where there is a neighbor: optimizers cut the ways from there
// past the guard of the next loop short, so that both were one unit.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
// RUN: %commcc -O2 -g1 -Rcomm %s -o %t.remarks 2>&1 | FileCheck %s
#include "Inputs/soundness.h"

enum { most = 5 };
static int up, down, left, right;

NOINLINE static double relax(int nx, int ny, int steps) {
  const int s = ny + 2, cells = (nx + 2) * s;
  double *u = malloc(sizeof(double) * cells), *v = malloc(sizeof(double) * cells);
  double *toLeft = calloc(nx + 1, sizeof(double)), *toRight = calloc(nx + 1, sizeof(double));
  double *fromLeft = calloc(nx + 1, sizeof(double)), *fromRight = calloc(nx + 1, sizeof(double));
  for (int i = 0; i < cells; ++i)
    u[i] = v[i] = (i * 37 + rank * 11) % 89;
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < nx; ++i) {
      toLeft[i] = u[(i + 1) * s + 1];
      toRight[i] = u[(i + 1) * s + ny];
    }
    MPI_Sendrecv(toLeft, nx, MPI_DOUBLE, left, 1, fromRight, nx, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(toRight, nx, MPI_DOUBLE, right, 2, fromLeft, nx, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[s + 1], ny, MPI_DOUBLE, up, 3, &u[(nx + 1) * s + 1], ny, MPI_DOUBLE, down, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[nx * s + 1], ny, MPI_DOUBLE, down, 4, &u[1], ny, MPI_DOUBLE, up, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (left != MPI_PROC_NULL)
      for (int i = 0; i < nx; ++i)
        u[(i + 1) * s] = fromLeft[i];
    if (right != MPI_PROC_NULL)
      for (int i = 0; i < nx; ++i)
        u[(i + 1) * s + ny + 1] = fromRight[i];
    // CHECK-DAG: remark: splits the loop at packed-columns.c:[[#@LINE+1]]: iterations of 2 nested loops
    for (int i = 1; i <= nx; ++i)
      for (int j = 1; j <= ny; ++j)
        v[i * s + j] = u[(i - 1) * s + j] + 2 * u[(i + 1) * s + j] + 3 * u[i * s + j - 1] + 4 * u[i * s + j + 1];
    double *w = u;
    u = v;
    v = w;
  }
  double sum = 0;
  for (int i = 0; i < cells; ++i)
    sum = sum * 0.5 + u[i];
  free(u), free(v), free(toLeft), free(toRight), free(fromLeft), free(fromRight);
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = rank % 2 ? rank - 1 : MPI_PROC_NULL;
  down = rank % 2 == 0 && rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  left = rank >= 2 ? rank - 2 : MPI_PROC_NULL;
  right = rank + 2 < size ? rank + 2 : MPI_PROC_NULL;
  for (int nx = 0; nx <= most; ++nx)
    for (int ny = 0; ny <= most; ++ny)
      printf("rank %d: %d x %d: %a\n", rank, nx, ny, relax(nx, ny, 3));
  MPI_Finalize();
  return 0;
}
