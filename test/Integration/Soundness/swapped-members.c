// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays whose addresses are stored in memory and swapped there after each step: the values that LLVM carries between
// iterations for the messages equal those that the loop reloads after them, unless other code has changed them.
// RUN: %same %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/cells.h"

enum { rows = 9, columns = 7, width = columns + 2, cells = (rows + 2) * width, turns = 5 };

typedef struct {
  int rank, size;
  double *u, *v, *other;
} Field;

static int last, next;
static double *now, *then;

#define EXCHANGE(u)                                                                                                    \
  do {                                                                                                                 \
    MPI_Request q[4];                                                                                                  \
    MPI_Irecv((u) + (rows + 1) * width, width, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &q[0]);                            \
    MPI_Irecv((u), width, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &q[1]);                                                 \
    MPI_Isend((u) + width, width, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &q[2]);                                         \
    MPI_Isend((u) + rows * width, width, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &q[3]);                                  \
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);                                                                            \
  } while (0)

#define SWEEP(v, u)                                                                                                    \
  for (int i = 1; i <= rows; ++i)                                                                                      \
    for (int j = 1; j <= columns; ++j)                                                                                 \
  (v)[i * width + j] =                                                                                                 \
      0.25 * ((u)[(i - 1) * width + j] + (u)[(i + 1) * width + j] + (u)[i * width + j - 1] + (u)[i * width + j + 1])

#define SWAP(a, b)                                                                                                     \
  do {                                                                                                                 \
    double *old = a;                                                                                                   \
    a = b, b = old;                                                                                                    \
  } while (0)

/// In a structure on the heap.
NOINLINE static void inStructure(int seed) {
  Field *f = malloc(sizeof *f);
  MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
  f->u = make(cells, seed), f->v = make(cells, seed + 1);
  for (int step = 0; step < turns; ++step) {
    EXCHANGE(f->u);
    // CHECK-DAG: swapped-members.c:[[#@LINE+1]]:{{.*}} remark: splits the loop
    SWEEP(f->v, f->u);
    SWAP(f->u, f->v);
  }
  say("structure", digits(f->u, cells) ^ digits(f->v, cells) * 3);
  free(f->u), free(f->v), free(f);
}

/// In variables at file scope.
NOINLINE static void atFileScope(int seed) {
  now = make(cells, seed), then = make(cells, seed + 1);
  for (int step = 0; step < turns; ++step) {
    EXCHANGE(now);
    // CHECK-DAG: swapped-members.c:[[#@LINE+1]]:{{.*}} remark: splits the loop
    SWEEP(then, now);
    SWAP(now, then);
  }
  say("file scope", digits(now, cells) ^ digits(then, cells) * 3);
  free(now), free(then);
}

/// Copied back: the addresses do not change.
NOINLINE static void copiedBack(int seed) {
  now = make(cells, seed), then = make(cells, seed + 1);
  for (int step = 0; step < turns; ++step) {
    EXCHANGE(now);
    // CHECK-DAG: swapped-members.c:[[#@LINE+1]]:{{.*}} remark: splits the loop
    SWEEP(then, now);
    for (int i = 1; i <= rows; ++i)
      for (int j = 1; j <= columns; ++j)
        now[i * width + j] = then[i * width + j];
  }
  say("copied back", digits(now, cells) ^ digits(then, cells) * 3);
  free(now), free(then);
}

/// A function changes the variable between the messages and the loop.
NOINLINE static void replace(double *by) { now = by; }

NOINLINE static void replaced(int seed) {
  double *u = make(cells, seed), *w = make(cells, seed + 2);
  now = u, then = make(cells, seed + 1);
  for (int step = 0; step < turns; ++step) {
    EXCHANGE(now);
    if (step % 2)
      replace(step % 4 == 1 ? w : u);
    SWEEP(then, now);
    SWAP(now, then);
  }
  say("replaced", digits(now, cells) ^ digits(then, cells) * 3);
}

/// Only one of two paths to the next iteration stores the addresses for the messages.
NOINLINE static void onOneWay(int seed) {
  double *u = make(cells, seed), *w = make(cells, seed + 2);
  now = u, then = make(cells, seed + 1);
  for (int step = 0; step < turns; ++step) {
    EXCHANGE(u);
    SWEEP(then, now);
    if (step % 3 == 1)
      u = w;
    else
      now = u;
  }
  say("one way", digits(u, cells) ^ digits(then, cells) * 3);
}

/// In the first step the variable has another address than the messages take.
NOINLINE static void atFirst(int seed) {
  double *u = make(cells, seed), *w = make(cells, seed + 2), *t = make(cells, seed + 1);
  now = w;
  for (int step = 0; step < turns; ++step) {
    EXCHANGE(u);
    SWEEP(t, now);
    SWAP(u, t);
    now = u;
  }
  say("at first", digits(u, cells) ^ digits(w, cells) * 3 ^ digits(t, cells) * 5);
}

/// By another pointer to the same structure, after the sweep and before the next messages.
NOINLINE static void byAlias(Field *f, Field *g, int seed) {
  f->u = make(cells, seed), f->v = make(cells, seed + 1), f->other = make(cells, seed + 2);
  for (int step = 0; step < turns; ++step) {
    double *u = f->u;
    EXCHANGE(u);
    g->u = f->other;
    SWEEP(f->v, f->u);
    f->other = u;
  }
  say("alias", digits(f->u, cells) ^ digits(f->v, cells) * 3);
}

/// Another structure in each step, by the same variable.
NOINLINE static void another(Field **list, int seed) {
  for (int k = 0; k < 3; ++k)
    list[k]->u = make(cells, seed + k), list[k]->v = make(cells, seed + 5 * k);
  double *u = list[0]->u;
  for (int step = 0; step < turns; ++step) {
    Field *f = list[step % 3];
    EXCHANGE(u);
    SWEEP(f->v, f->u);
    u = f->v;
    f->u = u;
  }
  say("another", digits(list[0]->v, cells) ^ digits(list[1]->v, cells) * 3 ^ digits(list[2]->v, cells) * 5);
}

/// The address itself is received, as characters: where each process has the same one.
NOINLINE static void arrives(Field *f, int seed) {
  f->u = make(cells, seed), f->v = make(cells, seed + 1), f->other = make(cells, seed + 2);
  double *choice[2] = {f->other, f->u};
  for (int step = 0; step < turns; ++step) {
    EXCHANGE(f->u);
    double *mine = choice[step % 2];
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, rank, 3, &f->u, sizeof mine, MPI_BYTE, rank, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    SWEEP(f->v, f->u);
  }
  say("arrives", digits(f->u, cells) ^ digits(f->v, cells) * 3);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  last = rank ? rank - 1 : MPI_PROC_NULL, next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  Field fields[3], *list[] = {&fields[0], &fields[1], &fields[2]};
  for (int seed = 0; seed < 3; ++seed) {
    inStructure(seed);
    atFileScope(seed);
    copiedBack(seed);
    replaced(seed);
    onOneWay(seed);
    atFirst(seed);
    byAlias(&fields[0], &fields[seed % 2], seed);
    another(list, seed);
    arrives(&fields[0], seed);
  }
  MPI_Finalize();
  return 0;
}
