// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several fields in one message to each neighbor: pointers in members and in arrays of a structure, which the program
// reloads after the wait, and a trip count that LLVM computes for one of them. The part of the last field that is
// computed before the first wait.
// RUN: %mpicc -O2 -c %S/Inputs/early.c -o %t.early.o
// RUN: %commcc -O2 -fcomm-cost=none %s %t.early.o -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// RUN: %mpicc -O2 %s %t.early.o -lm -o %t.plain
// RUN: %mpirun -n 2 %t.plain | FileCheck %s --check-prefix=PLAIN
// RUN: %mpirun -n 1 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 1 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// RUN: %mpirun -n 3 %t | sed 's/: .* sum/: sum/' > %t.sums
// RUN: %mpirun -n 3 %t.plain | sed 's/: .* sum/: sum/' | diff - %t.sums
// PLAIN: members: 0 before the first wait
#include "Inputs/cells.h"

enum { fields = 3 };
typedef struct {
  int n, m, neighbor[2];
  double *density, *momentum, *energy, *nextDensity, *nextMomentum, *nextEnergy;
  double *now[fields], *then[fields], *sent[2], *received[2];
  int last;
} Block;

INLINE static int at(const Block *b, int i, int j) { return i * (b->m + 2) + j; }

INLINE static void pack(const Block *b, double **field, int row, double *to) {
  for (int k = 0; k < fields; ++k)
    for (int j = 0; j < b->m + 2; ++j)
      to[k * (b->m + 2) + j] = field[k][at(b, row, j)];
}

INLINE static void unpack(const Block *b, double **field, int row, const double *from) {
  for (int k = 0; k < fields; ++k)
    for (int j = 0; j < b->m + 2; ++j)
      field[k][at(b, row, j)] = from[k * (b->m + 2) + j];
}

INLINE static void exchange(const Block *b, double **field) {
  MPI_Request r[4];
  int number = fields * (b->m + 2);
  for (int side = 0; side < 2; ++side)
    MPI_Irecv(b->received[side], number, MPI_DOUBLE, b->neighbor[side], 1 - side, MPI_COMM_WORLD, &r[side]);
  pack(b, field, 1, b->sent[0]);
  pack(b, field, b->n, b->sent[1]);
  for (int side = 0; side < 2; ++side)
    MPI_Isend(b->sent[side], number, MPI_DOUBLE, b->neighbor[side], side, MPI_COMM_WORLD, &r[2 + side]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  if (b->neighbor[0] != MPI_PROC_NULL)
    unpack(b, field, 0, b->received[0]);
  if (b->neighbor[1] != MPI_PROC_NULL)
    unpack(b, field, b->n + 1, b->received[1]);
}

INLINE static void sweep(const Block *b, const double *u, double *v) {
  for (int i = 1; i <= b->n; ++i)
    for (int j = 1; j <= b->m; ++j)
      v[at(b, i, j)] = u[at(b, i - 1, j)] + u[at(b, i + 1, j)] + u[at(b, i, j - 1)] + u[at(b, i, j + 1)];
}

/// 19 rows of 20, since there is one neighbor.
// CHECK: members: 570 before the first wait, of 600
NOINLINE static void members(Block *b) {
  for (int step = 0; step < 2; ++step) {
    double *field[fields] = {b->density, b->momentum, b->energy};
    exchange(b, field);
    sweep(b, b->density, b->nextDensity);
    sweep(b, b->momentum, b->nextMomentum);
    sweep(b, b->energy, b->nextEnergy);
  }
}

// CHECK: arrays: 570 before the first wait, of 600
NOINLINE static void arrays(Block *b) {
  for (int step = 0; step < 2; ++step) {
    exchange(b, b->now);
    for (int k = 0; k < fields; ++k)
      sweep(b, b->now[k], b->then[k]);
  }
}

/// The array on the heap has pointers if there are columns. Otherwise a number that arrives is in the place of the last
/// one.
typedef struct {
  int n, m;
  double *values[2];
  int last;
} Row;

NOINLINE static double reused(Row *r, double *u, double *v) {
  double sum = 0;
  for (int step = 0; step < 3; ++step) {
    MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, last, 4, r->n ? u : (double *)&r->values[1], 1, MPI_DOUBLE, next, 4,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double *first = r->values[0];
    for (int i = 1; i < r->m; ++i)
      v[i] = u[i - 1] + first[i];
    if (r->n) {
      const double *values = r->values[1];
      for (int i = 1; i < r->n; ++i)
        v[i] += values[i] * u[i + 1];
    } else {
      sum += *(double *)&r->values[1];
    }
    u[1] += v[1];
  }
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  Block b = {
      20 + argc - 1, 30 + argc - 1, {rank ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL}};
  long number = (b.n + 2) * (b.m + 2);
  for (int side = 0; side < 2; ++side)
    b.sent[side] = fill(fields * (b.m + 2), 0), b.received[side] = fill(fields * (b.m + 2), 0);
  for (int k = 0; k < fields; ++k)
    b.now[k] = fill(number, rank + k), b.then[k] = fill(number, NAN);
  b.density = b.now[0], b.momentum = b.now[1], b.energy = b.now[2];
  b.nextDensity = b.then[0], b.nextMomentum = b.then[1], b.nextEnergy = b.then[2];
  watch(b.nextEnergy, number), members(&b), tell("members", b.nextEnergy, number, b.n * b.m);
  for (int k = 0; k < fields; ++k)
    for (long i = 0; i < number; ++i)
      b.then[k][i] = NAN;
  watch(b.then[2], number), arrays(&b), tell("arrays", b.then[2], number, b.n * b.m);
  double *u = fill(40, rank), *v = fill(40, 0);
  Row *full = malloc(sizeof(Row)), *other = malloc(sizeof(Row));
  *full = (Row){argc + 29, argc + 19, {b.now[0], b.now[1]}, 0};
  other->n = argc - 1, other->m = argc + 19, other->values[0] = b.now[0];
  v[0] = reused(full, u, v) + reused(other, u, v);
  watch(NULL, 0), tell("reused", v, 40, 40);
  MPI_Finalize();
}
