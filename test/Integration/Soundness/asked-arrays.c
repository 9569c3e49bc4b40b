// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code after an exchange loads numbers and pointers that a message may have written. The wait, for requests in an array
// with a counter, then stays and becomes conditional (`comm.waitall_if`).
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Waitall at asked-arrays.c:[0-9]+"
#include "Inputs/soundness.h"

enum { most = 64, cells = 400 };

typedef struct {
  int *neighbors;
  double **in, **out, *u, *v;
} Block;

/// The received data may include the sizes that the loop needs.
static NOINLINE void numbers(Block *b, const int *sizes, int *in, int count) {
  MPI_Request r[4];
  int n = 0;
  for (int d = 0; d < 2; ++d)
    if (b->neighbors[d] >= 0)
      MPI_Irecv(in + d * count, count, MPI_INT, b->neighbors[d], 1 - d, MPI_COMM_WORLD, &r[n++]);
  int sent[2] = {100 + rank, 200 + rank};
  for (int d = 0; d < 2; ++d)
    if (b->neighbors[d] >= 0)
      MPI_Isend(sent, 2, MPI_INT, b->neighbors[d], d, MPI_COMM_WORLD, &r[n++]);
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  double *u = b->u, *v = b->v;
  for (int i = 0; i < sizes[0]; ++i)
    v[i] += u[i] * 0.5 + sizes[1];
}

/// Packed faces: the buffers are loaded from a table again, in branches.
static NOINLINE void faces(Block *b, int count) {
  MPI_Request r[4];
  int n = 0;
  for (int d = 0; d < 2; ++d)
    if (b->neighbors[d] >= 0)
      MPI_Irecv(b->in[d], count, MPI_DOUBLE, b->neighbors[d], 1 - d, MPI_COMM_WORLD, &r[n++]);
  for (int d = 0; d < 2; ++d)
    if (b->neighbors[d] >= 0) {
      for (int i = 0; i < count; ++i)
        b->out[d][i] = b->u[d ? cells - 2 * count + i : count + i];
      MPI_Isend(b->out[d], count, MPI_DOUBLE, b->neighbors[d], d, MPI_COMM_WORLD, &r[n++]);
    }
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  for (int d = 0; d < 2; ++d)
    if (b->neighbors[d] >= 0)
      for (int i = 0; i < count; ++i)
        b->u[d ? cells - count + i : i] = b->in[d][i];
  for (int i = count; i < cells - count; ++i)
    b->v[i] += b->u[i - count] + b->u[i + count];
}

/// The table of buffers arrives in a message: the unpacked data is where the new buffers point.
static NOINLINE void tables(const int *neighbors, double *const *table, double *u, double *v, char *in,
                            const void *sent, int bytes) {
  MPI_Request r[4];
  int n = 0, up = neighbors[1], down = neighbors[0];
  if (down >= 0)
    MPI_Irecv(in, bytes, MPI_BYTE, down, 0, MPI_COMM_SELF, &r[n++]);
  if (up >= 0)
    MPI_Isend(sent, bytes, MPI_BYTE, up, 0, MPI_COMM_SELF, &r[n++]);
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  if (down >= 0)
    for (int i = 0; i < 20; ++i)
      u[i] = table[0][i];
  for (int i = 20; i < cells - 20; ++i)
    v[i] += u[i - 20] + u[i + 20];
}

static void tell(const char *what, const Block *b) {
  double sum = 0;
  for (int i = 0; i < cells; ++i)
    sum += b->v[i] * (i % 13) + b->u[i];
  say(what, (long)(sum * 8));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int neighbors[] = {rank - 1, rank + 1 < size ? rank + 1 : -1};
  double *in[2], *out[2], *other[2];
  Block b = {neighbors, in, out, malloc(cells * sizeof(double)), malloc(cells * sizeof(double))};
  for (int d = 0; d < 2; ++d) {
    in[d] = calloc(most, sizeof(double)), out[d] = calloc(most, sizeof(double)),
    other[d] = calloc(most, sizeof(double));
    for (int i = 0; i < most; ++i)
      other[d][i] = 7 * d + i;
  }
  for (int i = 0; i < cells; ++i)
    b.u[i] = (i * 7 + rank) % 11, b.v[i] = 0;
  int *storage = calloc(most, sizeof(int));
  for (int place = 0; place < 6; ++place)
    for (int turn = 0; turn < 3; ++turn) {
      for (int i = 0; i < most; ++i)
        storage[i] = 30 + i + turn;
      if (rank == 0)
        nap(10);
      numbers(&b, storage + place, storage + 2, 2);
      tell("numbers", &b);
    }
  for (int turn = 0; turn < 6; ++turn) {
    if (rank == 0)
      nap(10);
    // Buffers that are also parts of the loop's input.
    in[0] = turn % 2 ? in[0] : b.u + 100;
    faces(&b, 10 + turn);
    tell("faces", &b);
  }
  // Messages to itself.
  neighbors[0] = neighbors[1] = 0;
  tables(neighbors, in, b.u, b.v, (char *)in, other, sizeof other);
  tell("tables", &b);
  tables(neighbors, in, b.u, b.v, (char *)out, other, sizeof other);
  tell("tables elsewhere", &b);
  MPI_Finalize();
  return 0;
}
