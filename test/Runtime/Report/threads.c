// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads execute, and register, the same sites at once: nothing is
// lost.
//
// RUN: %mpicc -g -O1 -pthread -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: env COMM_REPORT_FILE=%t.json %mpirun -n 2 %t
// RUN: FileCheck %s < %t.json
//
// CHECK-COUNT-16: "executions": {"total": 160000, "rank_min": 80000, "rank_max": 80000}
// CHECK-NOT: "total"

#include "Inputs/site.h"
#include <pthread.h>
#include <stdio.h>

enum { threads = 8, rounds = 10000, count = 16 };
static comm_report_site sites[count];
static pthread_barrier_t barrier;

static void *run(void *unused) {
  pthread_barrier_wait(&barrier);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < count; ++i)
      comm_report_end(&sites[i], comm_report_begin(&sites[i]));
  return unused;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  comm_report_init();
  for (int i = 0; i < count; ++i)
    sites[i] = (comm_report_site){COMM_REPORT_ABI_VERSION,
                                  i + 1,
                                  1,
                                  0,
                                  "MPI_Recv",
                                  "run",
                                  "threads.c",
                                  "",
                                  {0},
                                  0};
  pthread_t workers[threads];
  pthread_barrier_init(&barrier, 0, threads);
  for (int i = 0; i < threads; ++i)
    pthread_create(&workers[i], 0, run, 0);
  for (int i = 0; i < threads; ++i)
    pthread_join(workers[i], 0);
  MPI_Finalize();
  return 0;
}
