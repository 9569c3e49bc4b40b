// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three loops whose counters and bounds have type size_t, as in C++ with vectors: their bounds are possible sizes of
// memory, even minus one. No layer, one layer, and layers without rows.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

typedef struct {
  size_t nx, ny, nz;
} Grid;

#define AT(i, j, k) ((i) * g->ny + (j)) * g->nz + (k)

// CHECK: size-counters.c:[[#@LINE+9]]:{{.*}} remark: splits the loop
NOINLINE static void sweep(const Grid *g, double *restrict v, double *restrict u, int last, int next) {
  size_t face = g->ny * g->nz, layers = g->nx > 2 ? g->nx - 2 : 0;
  MPI_Request q[4];
  MPI_Irecv(&u[AT(g->nx - 1, 0, 0)], face, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(u, face, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &q[1]);
  MPI_Isend(&u[AT(layers ? 1 : 0, 0, 0)], layers ? face : 0, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q[2]);
  MPI_Isend(&u[AT(layers, 0, 0)], layers ? face : 0, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &q[3]);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  for (size_t i = 1; i < g->nx - 1; i++)
    for (size_t j = 1; j < g->ny - 1; j++)
      for (size_t k = 1; k < g->nz - 1; k++)
        v[AT(i, j, k)] = 0.25 * (u[AT(i - 1, j, k)] + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] + u[AT(i, j, k + 1)]) + 1;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int last = rank ? rank - 1 : MPI_PROC_NULL, next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (size_t nx = 2; nx < 7; ++nx)
    for (size_t ny = 1; ny < 5; ++ny)
      for (size_t nz = 1; nz < 5; ++nz) {
        Grid g = {nx, ny, nz};
        int cells = nx * ny * nz;
        double *u = make(cells, nx), *v = make(cells, ny + nz);
        for (int step = 0; step < 3; ++step) {
          sweep(&g, v, u, last, next);
          double *old = u;
          u = v, v = old;
        }
        say("layers", digits(u, cells) ^ digits(v, cells) * 3);
        free(u), free(v);
      }
  MPI_Finalize();
  return 0;
}
