// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A correct program prints the same under the checker, and the checker is active.
//
// RUN: %mpicc -O2 -g %s -o %t.ref
// RUN: %commcc -O2 -g -fcomm-check %s -o %t
// RUN: %commcc -O2 -g -fcomm-check -fno-sanitize=address %s -o %t.plain
// RUN: %mpirun -n 2 %t.ref > %t.ref2
// RUN: %mpirun -n 2 %t > %t.2
// RUN: cmp %t.ref2 %t.2
// RUN: %mpirun -n 2 %t.plain > %t.plain2
// RUN: cmp %t.ref2 %t.plain2
// RUN: %mpirun -n 4 %t.ref > %t.ref4
// RUN: %mpirun -n 4 %t > %t.4
// RUN: cmp %t.ref4 %t.4
//
// RUN: %commcc -O2 -g -fcomm-check -fno-sanitize=address %s -S -o - | FileCheck %s
// CHECK-DAG: comm_check_buffer{{(@PLT)?$}}
// CHECK-DAG: comm_check_buffer_v{{(@PLT)?$}}
// CHECK-DAG: comm_check_finish{{(@PLT)?$}}

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 5000 };
static double work[N];
static unsigned long long hash;

static void mix(unsigned long long x) { hash = hash * 31 + x; }
static void compute(int seed) {
  for (int i = 0; i < N; ++i)
    work[i] = work[i] * 0.5 + (i % 17) * seed;
}
static int *fill(int n, int seed) {
  int *p = malloc(n * sizeof *p);
  for (int i = 0; i < n; ++i)
    p[i] = i * seed + 1;
  return p;
}
static void take(int *p, int n) {
  for (int i = 0; i < n; ++i)
    mix(p[i]);
  free(p);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 1; step <= 3; ++step) {
    int root = step % size, *a, *b;
    a = fill(N, rank + step), b = fill(N, 2);
    MPI_Sendrecv(a, N, MPI_INT, (rank + 1) % size, 1, b, N, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    compute(1);
    take(a, N), take(b, N);

    // No peer at the ends: nothing is in flight there.
    a = fill(N, rank + step), b = fill(N, 3);
    MPI_Sendrecv(a, N, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 2, b, N, MPI_INT,
                 rank ? rank - 1 : MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(2);
    take(a, N), take(b, N);

    a = fill(100, rank + step), b = fill(100 * size, 4);
    MPI_Gather(a, 100, MPI_INT, b, 100, MPI_INT, root, MPI_COMM_WORLD);
    compute(3);
    take(a, 100), take(b, 100 * size);

    a = fill(100 * size, rank + step), b = fill(100, 4);
    MPI_Scatter(a, 100, MPI_INT, b, 100, MPI_INT, root, MPI_COMM_WORLD);
    compute(4);
    take(a, 100 * size), take(b, 100);

    a = fill(N, rank + step);
    MPI_Bcast(a, N, MPI_INT, root, MPI_COMM_WORLD);
    compute(5);
    take(a, N);

    a = fill(N, rank + step), b = fill(N, 5);
    MPI_Reduce(a, b, N, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    compute(6);
    take(a, N), take(b, N);

    a = fill(N, rank + step);
    MPI_Allreduce(MPI_IN_PLACE, a, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    compute(7);
    take(a, N);

    int *counts = malloc(size * sizeof *counts), *displs = malloc(size * sizeof *displs), total = 0;
    for (int i = 0; i < size; ++i)
      counts[i] = 10 + i, displs[i] = total, total += counts[i] + 3;
    a = fill(counts[rank], rank + step), b = fill(total, 6);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    compute(8);
    take(a, counts[rank]), take(b, total);

    a = fill(total, rank + step), b = fill(counts[rank], 7);
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compute(9);
    take(a, total), take(b, counts[rank]);
    take(counts, size), take(displs, size);
  }
  for (int i = 0; i < N; ++i)
    mix((long long)work[i]);
  // One rank prints: mpirun does not order the output of several.
  long long *all = malloc(size * sizeof *all);
  MPI_Gather(&hash, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; ++r)
    printf("rank %d: %llx\n", r, (unsigned long long)all[r]);
  free(all);
  MPI_Finalize();
  return 0;
}
