/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Graphs in single-transfer form: all transfers read the initial contents, even if
// others overwrite them. Impossible transfers end the program with the location in the
// source.
// RUN: %mpicc -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: env COMM_CDAG_MODE=1 %mpirun -n 1 %t | FileCheck %s
// RUN: env COMM_CDAG_MODE=1 COMM_CDAG_REPORT=%t.report %mpirun -n 4 %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.report
// RUN: env COMM_CDAG_MODE=0 %mpirun -n 3 %t | FileCheck %s
// RUN: not %mpirun -n 2 %t nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not %mpirun -n 2 %t race 2>&1 | FileCheck %s --check-prefix=RACE
// CHECK-NOT: wrong
// CHECK: done
// REPORT: alltoall
// NOBODY: comm: error: the communication graph at nobody.c:1: {{.*}}transfer 1 of 4 bytes from process 0 to 7, but the communicator has 2
// RACE: comm: error: the communication graph at race.c:1: {{.*}}race
#include "comm/cdag.h"

#include <stdio.h>
#include <string.h>

enum { most = 8 };
static int rank, size, wrong;

static void check(int got, int wanted, const char *what) {
  if (got != wanted && !wrong++)
    printf("wrong: process %d: %s: %d, not %d\n", rank, what, got, wanted);
}

/* Buffer 0 and 1, element indices. */
static comm_cdag_transfer transfer(int from, int source, int i, int to,
                                   int target, int j) {
  comm_cdag_transfer made = {from, source, 4 * i, to, target, 4 * j, 4};
  return made;
}

static void run(int *a, int *b, const comm_cdag_transfer *all, int count,
                const char *site) {
  void *buffers[] = {a, b};
  comm_cdag *graph;
  comm_cdag_create(MPI_COMM_WORLD, &graph);
  comm_cdag_add_transfers(graph, buffers, all, count);
  comm_cdag_execute(&graph, site);
  if (graph)
    check(1, 0, "a graph that is still there");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comm_cdag_transfer all[most * most];
  int a[most], b[most], count = 0;
  if (argc > 1 && strcmp(argv[1], "nobody") == 0) {
    all[0] = transfer(0, 0, 0, 1, 1, 0);
    all[1] = transfer(0, 0, 0, 1, 7, 0);
    run(a, b, all, 2, "nobody.c:1");
  }
  if (argc > 1 && strcmp(argv[1], "race") == 0) {
    all[0] = transfer(0, 0, 0, 1, 1, 0);
    all[1] = transfer(0, 0, 1, 1, 1, 0);
    run(a, b, all, 2, "race.c:1");
  }

  for (int repetition = 0; repetition < 3; ++repetition) {
    /* From one buffer to another. */
    count = 0;
    for (int p = 0; p < size; ++p)
      for (int q = 0; q < size; ++q)
        all[count++] = transfer(0, p, q, 1, q, p);
    for (int i = 0; i < most; ++i)
      a[i] = 100 * rank + i + repetition, b[i] = -1;
    run(a, b, all, count, "alltoall");
    for (int p = 0; p < size; ++p)
      check(b[p], 100 * p + rank + repetition, "alltoall");

    /* In place. */
    count = 0;
    for (int p = 0; p < size; ++p)
      for (int q = 0; q < size; ++q)
        all[count++] = transfer(0, p, q, 0, q, p);
    run(a, b, all, count, "in place");
    for (int p = 0; p < size; ++p)
      check(a[p], 100 * p + rank + repetition, "in place");

    /* Shifted within one process, and on to the next one. */
    count = 0;
    for (int p = 0; p < size; ++p) {
      all[count++] = transfer(0, p, 0, 0, p, 1);
      all[count++] = transfer(0, p, 1, 0, p, 2);
      all[count++] = transfer(0, p, 2, 0, (p + 1) % size, 0);
    }
    for (int i = 0; i < most; ++i)
      a[i] = 100 * rank + i + repetition;
    run(a, b, all, count, "shifted");
    check(a[0], 100 * ((rank + size - 1) % size) + 2 + repetition, "shifted");
    check(a[1], 100 * rank + repetition, "shifted");
    check(a[2], 100 * rank + 1 + repetition, "shifted");
    check(a[3], 100 * rank + 3 + repetition, "shifted");
  }
  run(a, b, all, 0, "nothing");
  int total = 0;
  MPI_Allreduce(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && !total)
    printf("done\n");
  MPI_Finalize();
  return 0;
}
