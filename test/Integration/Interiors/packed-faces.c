// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faces that are packed and unpacked in loops over directions with a switch, using a counter that continues through
// loops of a nest (`buffer[n++]`); requests with a counter for the existing neighbors. Sizes and buffers are reloaded
// after the wait, which is conditional (`comm.waitall_if`): the interior runs before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN: faces: 0 before the first wait
#include "Inputs/cells.h"

typedef struct {
  int nx, ny, nz, neighbors[6], counts[6];
  double *now, *next, **out, **in;
  MPI_Comm comm;
} Block;

static Block makeBlock(int nx, int ny, int nz) {
  Block b = {nx, ny, nz, {-1, -1, -1, -1, -1, -1}, {0}, NULL, NULL, NULL, NULL, MPI_COMM_WORLD};
  b.neighbors[4] = rank - 1;
  b.neighbors[5] = rank + 1 < size ? rank + 1 : -1;
  for (int d = 0; d < 4; ++d)
    b.neighbors[d] = rank - size; // no neighbor, unknown to the compiler
  b.out = malloc(6 * sizeof(double *)), b.in = malloc(6 * sizeof(double *));
  for (int d = 0; d < 6; ++d) {
    b.counts[d] = d < 2 ? ny * nz : d < 4 ? nx * nz : nx * ny;
    b.out[d] = fill(b.counts[d], 0), b.in[d] = fill(b.counts[d], 0);
  }
  b.now = fill((nx + 2) * (ny + 2) * (nz + 2), rank);
  b.next = fill((nx + 2) * (ny + 2) * (nz + 2), NAN);
  return b;
}

INLINE static int cell(const Block *b, int i, int j, int k) { return (k * (b->ny + 2) + j) * (b->nx + 2) + i; }

INLINE static void pack(Block *b, int d) {
  double *to = b->out[d];
  int n = 0;
  switch (d) {
  case 0:
  case 1:
    for (int k = 1; k <= b->nz; ++k)
      for (int j = 1; j <= b->ny; ++j)
        to[n++] = b->now[cell(b, d ? b->nx : 1, j, k)];
    break;
  case 2:
  case 3:
    for (int k = 1; k <= b->nz; ++k)
      for (int i = 1; i <= b->nx; ++i)
        to[n++] = b->now[cell(b, i, d == 3 ? b->ny : 1, k)];
    break;
  default:
    for (int j = 1; j <= b->ny; ++j)
      for (int i = 1; i <= b->nx; ++i)
        to[n++] = b->now[cell(b, i, j, d == 5 ? b->nz : 1)];
  }
}

INLINE static void unpack(Block *b, int d) {
  const double *from = b->in[d];
  int n = 0;
  switch (d) {
  case 0:
  case 1:
    for (int k = 1; k <= b->nz; ++k)
      for (int j = 1; j <= b->ny; ++j)
        b->now[cell(b, d ? b->nx + 1 : 0, j, k)] = from[n++];
    break;
  case 2:
  case 3:
    for (int k = 1; k <= b->nz; ++k)
      for (int i = 1; i <= b->nx; ++i)
        b->now[cell(b, i, d == 3 ? b->ny + 1 : 0, k)] = from[n++];
    break;
  default:
    for (int j = 1; j <= b->ny; ++j)
      for (int i = 1; i <= b->nx; ++i)
        b->now[cell(b, i, j, d == 5 ? b->nz + 1 : 0)] = from[n++];
  }
}

INLINE static void exchange(Block *b) {
  MPI_Request r[12];
  int n = 0;
  for (int d = 0; d < 6; ++d)
    if (b->neighbors[d] >= 0)
      MPI_Irecv(b->in[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d ^ 1, b->comm, &r[n++]);
  for (int d = 0; d < 6; ++d)
    if (b->neighbors[d] >= 0) {
      pack(b, d);
      MPI_Isend(b->out[d], b->counts[d], MPI_DOUBLE, b->neighbors[d], d, b->comm, &r[n++]);
    }
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  for (int d = 0; d < 6; ++d)
    if (b->neighbors[d] >= 0)
      unpack(b, d);
}

INLINE static void sweep(Block *b) {
  const double *now = b->now;
  double *next = b->next;
  for (int k = 1; k <= b->nz; ++k)
    for (int j = 1; j <= b->ny; ++j)
      for (int i = 1; i <= b->nx; ++i)
        next[cell(b, i, j, k)] = now[cell(b, i - 1, j, k)] + now[cell(b, i + 1, j, k)] + now[cell(b, i, j - 1, k)] +
                                 now[cell(b, i, j + 1, k)] + now[cell(b, i, j, k - 1)] + now[cell(b, i, j, k + 1)];
}

/// 8 * 9 * 10 cells, a plane of which has a neighbor.
// CHECK: faces: 648 before the first wait, of 720
NOINLINE static void faces(Block *b) {
  int number = (b->nx + 2) * (b->ny + 2) * (b->nz + 2);
  watch(b->next, number);
  for (int step = 0; step < 2; ++step) {
    exchange(b);
    sweep(b);
  }
  tell("faces", b->next, number, b->nx * b->ny * b->nz);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  Block b = makeBlock(8 + argc - 1, 9 + argc - 1, 10 + argc - 1);
  faces(&b);
  MPI_Finalize();
}
