// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arrays with alternating arrays: an inspector's results are kept for two of them. They are dropped if the other
// iteration's message, or its loop, changes the indices.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Irecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { rows = 40, ghosts = 12, length = rows + ghosts };
static int up, down;

static int *swap(int **other, int *mine) {
  int *was = *other;
  *other = mine;
  return was;
}

/// Elements are also indices, so that arrays can be both.
// CHECK: remark: splits the loop at indices-turns.c:[[#@LINE+9]]: {{.*}} found at run time
NOINLINE static void take(int *in, int *out, int *column, int *next, int turns) {
  for (int t = 0; t < turns; ++t) {
    MPI_Request request[4];
    MPI_Irecv(&in[rows], ghosts / 2, MPI_INT, up, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&in[rows + ghosts / 2], ghosts / 2, MPI_INT, down, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(in, ghosts / 2, MPI_INT, down, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(&in[1], ghosts / 2, MPI_INT, up, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < rows; ++i)
      out[i] = (3 * in[column[i]] + i + t) % length;
    in = swap(&out, in);
    column = swap(&next, column);
  }
}

/// Three arrays, which differ in any two consecutive iterations.
NOINLINE static void rotate(int *in, int *out, int *third, const int *column, int turns) {
  for (int t = 0; t < turns; ++t) {
    MPI_Request request[2];
    MPI_Irecv(&in[rows], ghosts, MPI_INT, up, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(in, ghosts, MPI_INT, down, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < rows; ++i)
      out[i] = (3 * in[column[i]] + i + t) % length;
    int *was = in;
    in = out, out = third, third = was;
  }
}

/// Arrays in any order.
NOINLINE static void list(int *const *ins, int *const *outs, int *const *columns, int turns) {
  for (int t = 0; t < turns; ++t) {
    MPI_Request request[2];
    MPI_Irecv(&ins[t][rows], ghosts, MPI_INT, up, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(ins[t], ghosts, MPI_INT, down, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < rows; ++i)
      outs[t][i] = (3 * ins[t][columns[t][i]] + i + t) % length;
  }
}

static int *make(int seed, int cells) {
  int *made = malloc(sizeof(int) * cells);
  for (int i = 0; i < cells; ++i)
    made[i] = (i * 7 + seed + rank) % length;
  return made;
}

/// Each row reads its own element; ghosts are at one end.
static void lay(int *column, int isAtEnd) {
  for (int i = 0; i < rows; ++i)
    column[i] = i;
  for (int i = 0; i < 4; ++i)
    column[isAtEnd ? rows - 1 - i : i] = rows + i;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  for (int isAtEnd = 0; isAtEnd < 2; ++isAtEnd) {
    int *x = make(1, length), *y = make(2, length + rows), *z = make(3, length), *c = make(4, rows), *d = make(5, rows);
    lay(c, isAtEnd), lay(d, !isAtEnd);
    take(x, y, c, c, 7);
    say("swapped", total(x, length) + total(y, length) * 3);
    take(x, y, c, d, 7);
    say("both", total(x, length) + total(y, length) * 3);
    rotate(x, y, z, c, 12);
    say("rotated", total(x, length) + total(y, length) * 3);
    // So many iterations with other arrays that the inspector gives up. Then one writes the indices of the last one,
    // and one its elements.
    int *a[7], *outs[7], *columns[7];
    for (int t = 0; t < 7; ++t)
      a[t] = t < 5 ? make(t, length) : a[t == 5 ? 4 : 3], outs[t] = y, columns[t] = c;
    outs[4] = columns[3] = columns[6] = z;
    outs[5] = a[3];
    lay(z, isAtEnd);
    list(a, outs, columns, 7);
    say("listed", total(y, length) + total(z, length) * 3);
    for (int t = 0; t < 5; ++t)
      free(a[t]);
    // The message of every second iteration is received into the indices of the others.
    lay(y + rows, isAtEnd);
    take(x, y, y + rows, d, 9);
    say("received", total(x, length) + total(y, length + rows) * 3);
    // The loop of every second iteration writes the indices of the others.
    lay(x, isAtEnd);
    take(x, y, x, d, 9);
    say("written", total(x, length) + total(y, length) * 3);
    free(x), free(y), free(z), free(c), free(d);
  }
  MPI_Finalize();
  return 0;
}
