// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier between the exchange and the sweep orders files and shared memory. A program that has neither computes the
// interior before it waits; the process with the lowest rank writes in some of the steps. Counts cells that are
// computed before the first wait.
// RUN: %mpicc -O2 -shared -fPIC %S/Inputs/preloaded.c -o %t.so
// RUN: %commcc -O2 -fcomm-cost=none -c %s -o %t.o
// RUN: %commcc %t.o %t.so -rdynamic -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s
// CHECK-DAG: array 0: {{644|674}} before the first wait
// CHECK-DAG: array 1: {{644|674}} before the first wait
// CHECK-DAG: array 2: {{644|674}} before the first wait
// The same results as without Comm.
// RUN: %mpicc -O2 %s %t.so -rdynamic -lm -o %t.plain
// RUN: %mpirun -n 2 %t | grep sum > %t.sums
// RUN: %mpirun -n 2 %t.plain | grep sum | diff - %t.sums
// The barrier may announce a file.
// RUN: %commcc -O2 -fcomm-cost=none -DFILES -c %s -o %t.o
// RUN: %commcc %t.o %t.so -rdynamic -lm -o %t
// RUN: %mpirun -n 2 %t | FileCheck %s --check-prefix=FILES
// FILES-NOT: {{644|674}} before the first wait
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 20, columns = 30, width = columns + 2, cells = (rows + 2) * width };
double *watched;
long number;
static int rank, size, up, down;

#define AT(u, i, j) u[(i) * width + (j)]

/// The 104 cells of the border always have numbers.
static double *make(double value) {
  double *u = malloc(sizeof(double) * cells);
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < width; ++j)
      AT(u, i, j) = i == 0 || i == rows + 1 || j == 0 || j == width - 1 ? i % 11 : value + j % 7;
  return u;
}

static void sweep(double *v, const double *u, int n) {
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= columns; ++j)
      AT(v, i, j) = 0.25 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i, j + 1));
}

static void say(int step, const double *v) {
  double sum = 0;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      sum += AT(v, i, j) * (i % 7);
  if (step % 2 == 1 && rank == 0)
    printf("step %d: sum %.17g\n", step, sum);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int n = argc > 1 ? atoi(argv[1]) : rows;
#ifdef FILES
  if (rank == size)
    fclose(fopen("results", "w"));
#endif
  double *u = make(rank), *v = make(NAN), *first = v;
  number = cells;
  watched = v;
  for (int step = 0; step < 4; ++step) {
    MPI_Sendrecv(&AT(u, 1, 1), columns, MPI_DOUBLE, up, 1, &AT(u, n + 1, 1), columns, MPI_DOUBLE, down, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&AT(u, n, 1), columns, MPI_DOUBLE, down, 2, &AT(u, 0, 1), columns, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    sweep(v, u, n);
    say(step, v);
    double *old = u;
    u = v, v = old;
  }
  // The program's own requests.
  v = make(NAN);
  watched = v;
  for (int step = 0; step < 4; ++step) {
    MPI_Request r[4];
    MPI_Irecv(&AT(u, 0, 1), columns, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&AT(u, n + 1, 1), columns, MPI_DOUBLE, down, 4, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(&AT(u, 1, 1), columns, MPI_DOUBLE, up, 4, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&AT(u, n, 1), columns, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    sweep(v, u, n);
    MPI_Barrier(MPI_COMM_WORLD);
    say(step, v);
    double *old = u;
    u = v, v = old;
  }
  // Messages in branches.
  v = make(NAN);
  watched = v;
  for (int step = 0; step < 4; ++step) {
    if (rank != size - 1)
      MPI_Send(&AT(u, n, 1), columns, MPI_DOUBLE, rank + 1, 5, MPI_COMM_WORLD);
    if (rank != 0)
      MPI_Recv(&AT(u, 0, 1), columns, MPI_DOUBLE, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
      MPI_Send(&AT(u, 1, 1), columns, MPI_DOUBLE, rank - 1, 6, MPI_COMM_WORLD);
    if (rank != size - 1)
      MPI_Recv(&AT(u, n + 1, 1), columns, MPI_DOUBLE, rank + 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    sweep(v, u, n);
    say(step, v);
    double *old = u;
    u = v, v = old;
  }
  if (rank == 0)
    printf("sum %g\n", first[width + 1]);
  MPI_Finalize();
}
