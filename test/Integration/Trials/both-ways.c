// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that can run in two parts are tried both ways. A tool between program and MPI looks, at the wait, whether a row
// of the interior has been computed by then. The launcher's variable says that each process has its own node.
// REQUIRES: openmpi
// RUN: %mpicc -O1 -DTOOL -c %s -o %t.tool.o
// RUN: %commcc -O2 -Rcomm %s %t.tool.o -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck --check-prefixes=CHECK,NODES %s
// RUN: %brief -n 2 %t | FileCheck --check-prefixes=CHECK,NODE %s
// RUN: %commcc -O2 -fcomm-cost=none %s %t.tool.o -o %t.all
// RUN: %brief -n 2 %t.all | FileCheck --check-prefixes=CHECK,ALL %s
// REMARK-COUNT-2: remark: splits the loop at both-ways.c
//
// The loops of one exchange run one way, all of them. With costs that do not count nothing is tried.
// NODES: turn 0: split split
// NODES: turn 1: split split
// NODES: turn 2: whole whole
// NODE: turn 0: whole whole
// NODE: turn 1: whole whole
// NODE: turn 2: whole whole
// ALL: turn 0: split split
// ALL: turn 1: split split
// ALL: turn 2: split split
// CHECK: 200 turns: right
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 64, columns = 256, turns = 200 };
extern const double *watched[2];
// Volatile, since MPI as its standard has it changes none of them.
extern volatile int has_been_computed[2], waits;

#ifdef TOOL
const double *watched[2];
volatile int has_been_computed[2], waits;
static void look(void) {
  for (int i = 0; i < 2 && waits == 0; ++i)
    has_been_computed[i] = watched[i] && *watched[i] != -1;
  ++waits;
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  look();
  return PMPI_Wait(request, status);
}
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  look();
  return PMPI_Waitall(count, requests, statuses);
}
#else
static void relax(double *restrict v, const double *restrict u) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j < columns - 1; ++j)
      v[i * columns + j] = 0.25 * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j] + u[i * columns + j - 1] +
                                   u[i * columns + j + 1]);
}

static __attribute__((noinline)) void mark(double *v, double *w) {
  for (int i = 0; i < (rows + 2) * columns; ++i)
    v[i] = w[i] = -1;
  watched[0] = &v[rows / 2 * columns + columns / 2];
  watched[1] = &w[rows / 2 * columns + columns / 2];
  waits = 0;
}

/// Whether the same of a copy, of which nothing is in flight, is the same.
static __attribute__((noinline)) int check(const double *u, const double *v, const double *w, double *const copies[3]) {
  const size_t bytes = sizeof(double) * (rows + 2) * columns;
  memcpy(copies[0], u, bytes);
  for (int i = 0; i < (rows + 2) * columns; ++i)
    copies[1][i] = copies[2][i] = -1;
  relax(copies[1], copies[0]);
  relax(copies[2], copies[1]);
  return memcmp(v, copies[1], bytes) == 0 && memcmp(w, copies[2], bytes) == 0;
}

static double *make(void) {
  double *u = malloc(sizeof(double) * (rows + 2) * columns);
  for (int i = 0; u && i < (rows + 2) * columns; ++i)
    u[i] = i % 17 + 1;
  return u;
}

int main(int argc, char **argv) {
  int rank, size, isRight = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;
  double *u = make(), *v = make(), *w = make(), *const copies[3] = {make(), make(), make()};
  if (!u || !v || !w || !copies[0] || !copies[1] || !copies[2])
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int t = 0; t < turns; ++t) {
    MPI_Request requests[4];
    mark(v, w);
    for (int j = 0; j < columns; ++j) {
      u[columns + j] = t + j % 5;
      u[rows * columns + j] = t + j % 7;
    }
    MPI_Irecv(&u[0], columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[(rows + 1) * columns], columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&u[columns], columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&u[rows * columns], columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    relax(v, u);
    relax(w, v);
    if (rank == 0 && t < 3)
      printf("turn %d: %s %s\n", t, has_been_computed[0] ? "split" : "whole", has_been_computed[1] ? "split" : "whole");
    for (int j = 0; j < columns; ++j)
      isRight &= u[j] == t + j % 7 && u[(rows + 1) * columns + j] == t + j % 5;
    isRight &= check(u, v, w, copies);
  }
  int all;
  MPI_Allreduce(&isRight, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d turns: %s\n", turns, all ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
#endif
