// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One axis after another, so that corners are exchanged as well: the second exchange sends data that the first one
// received. The sweep needs both, but its interior still runs before the first wait. Missing neighbors give branches
// that are not entered, from which nothing needs to be avoided.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %S/Inputs/early.c -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-2: 0 before the first wait
#include "Inputs/cells.h"

typedef struct {
  int nx, ny, neighbors[4];
  double *now, *next, *out[4], *in[4];
  MPI_Comm comm;
} Block;

static Block makeBlock(int nx, int ny) {
  Block b = {nx, ny, {-1, -1, -1, -1}, NULL, NULL, {NULL}, {NULL}, MPI_COMM_WORLD};
  b.neighbors[0] = rank - 1;
  b.neighbors[1] = rank + 1 < size ? rank + 1 : -1;
  b.neighbors[2] = rank - size; // no neighbor, unknown to the compiler
  b.neighbors[3] = rank + size < size ? rank + size : -1;
  for (int d = 0; d < 4; ++d)
    b.out[d] = fill(nx + ny + 4, 0), b.in[d] = fill(nx + ny + 4, 0);
  b.now = fill((nx + 2) * (ny + 2), rank);
  b.next = fill((nx + 2) * (ny + 2), NAN);
  return b;
}

INLINE static void sweep(Block *b) {
  int w = b->nx + 2;
  for (int j = 1; j <= b->ny; ++j)
    for (int i = 1; i <= b->nx; ++i) {
      int at = j * w + i;
      b->next[at] = b->now[at - 1] + b->now[at + 1] + b->now[at - w] + b->now[at + w] + b->now[at - w - 1];
    }
}

/// Columns are packed, rows are sent from where they are.
INLINE static void exchangeRows(Block *b) {
  MPI_Request r[4];
  int w = b->nx + 2, h = b->ny, n = 0;
  const int *to = b->neighbors;
  if (to[0] >= 0)
    MPI_Irecv(b->in[0], h, MPI_DOUBLE, to[0], 1, b->comm, &r[n++]);
  if (to[1] >= 0)
    MPI_Irecv(b->in[1], h, MPI_DOUBLE, to[1], 0, b->comm, &r[n++]);
  if (to[0] >= 0) {
    for (int j = 0; j < h; ++j)
      b->out[0][j] = b->now[(j + 1) * w + 1];
    MPI_Isend(b->out[0], h, MPI_DOUBLE, to[0], 0, b->comm, &r[n++]);
  }
  if (to[1] >= 0) {
    for (int j = 0; j < h; ++j)
      b->out[1][j] = b->now[(j + 1) * w + b->nx];
    MPI_Isend(b->out[1], h, MPI_DOUBLE, to[1], 1, b->comm, &r[n++]);
  }
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  if (to[0] >= 0)
    for (int j = 0; j < h; ++j)
      b->now[(j + 1) * w] = b->in[0][j];
  if (to[1] >= 0)
    for (int j = 0; j < h; ++j)
      b->now[(j + 1) * w + b->nx + 1] = b->in[1][j];
  n = 0;
  if (to[2] >= 0)
    MPI_Irecv(b->now, w, MPI_DOUBLE, to[2], 3, b->comm, &r[n++]);
  if (to[3] >= 0)
    MPI_Irecv(b->now + (h + 1) * w, w, MPI_DOUBLE, to[3], 2, b->comm, &r[n++]);
  if (to[2] >= 0)
    MPI_Isend(b->now + w, w, MPI_DOUBLE, to[2], 2, b->comm, &r[n++]);
  if (to[3] >= 0)
    MPI_Isend(b->now + h * w, w, MPI_DOUBLE, to[3], 3, b->comm, &r[n++]);
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

/// Both are packed, by a loop over directions.
INLINE static void copyFace(Block *b, int d, int ghost, double *face, int put) {
  int w = b->nx + 2, n = 0;
  if (d < 2) {
    int i = d ? b->nx + ghost : 1 - ghost;
    for (int j = 0; j <= b->ny + 1; ++j) {
      double *cell = &b->now[j * w + i];
      if (put)
        *cell = face[n++];
      else
        face[n++] = *cell;
    }
  } else {
    int j = d == 3 ? b->ny + ghost : 1 - ghost;
    for (int i = 0; i < w; ++i) {
      double *cell = &b->now[j * w + i];
      if (put)
        *cell = face[n++];
      else
        face[n++] = *cell;
    }
  }
}
INLINE static void exchangeFaces(Block *b) {
  for (int axis = 0; axis < 2; ++axis) {
    MPI_Request r[4];
    int n = 0, length = (axis ? b->nx : b->ny) + 2;
    for (int d = 2 * axis; d < 2 * axis + 2; ++d)
      if (b->neighbors[d] >= 0)
        MPI_Irecv(b->in[d], length, MPI_DOUBLE, b->neighbors[d], d ^ 1, b->comm, &r[n++]);
    for (int d = 2 * axis; d < 2 * axis + 2; ++d)
      if (b->neighbors[d] >= 0) {
        copyFace(b, d, 0, b->out[d], 0);
        MPI_Isend(b->out[d], length, MPI_DOUBLE, b->neighbors[d], d, b->comm, &r[n++]);
      }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    for (int d = 2 * axis; d < 2 * axis + 2; ++d)
      if (b->neighbors[d] >= 0)
        copyFace(b, d, 1, b->in[d], 1);
  }
}

/// 24 * 20 cells, a column of which has a neighbor.
// CHECK: rows: 460 before the first wait, of 480
// CHECK: faces: 460 before the first wait, of 480
#define RUN(NAME, EXCHANGE)                                                                                            \
  NOINLINE static void NAME(int nx, int ny) {                                                                          \
    Block b = makeBlock(nx, ny);                                                                                       \
    int number = (nx + 2) * (ny + 2);                                                                                  \
    watch(b.next, number);                                                                                             \
    for (int step = 0; step < 2; ++step) {                                                                             \
      EXCHANGE(&b);                                                                                                    \
      sweep(&b);                                                                                                       \
    }                                                                                                                  \
    tell(#NAME, b.next, number, nx * ny);                                                                              \
  }
RUN(rows, exchangeRows)
RUN(faces, exchangeFaces)

int main(int argc, char **argv) {
  begin(&argc, &argv);
  rows(24 + argc - 1, 20 + argc - 1);
  faces(24 + argc - 1, 20 + argc - 1);
  MPI_Finalize();
}
