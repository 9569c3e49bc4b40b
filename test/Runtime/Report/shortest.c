// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shortest execution of a site, which is not the first, the last, or an average; over merged
// sites, over ranks, and over threads several of which complete the first execution
// simultaneously. Executions have durations of many seconds, so that a busy machine does not
// matter.
//
// RUN: %mpicc -g -O1 -pthread -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: env COMM_REPORT_FILE=%t.json %mpirun -n 2 %t
// RUN: %python %S/Inputs/shortest.py %t.json

#include "Inputs/site.h"
#include <pthread.h>
#include <sched.h>

static void several(comm_report_site *site, double a, double b, double c) {
  pretend(site, a);
  pretend(site, b);
  pretend(site, c);
}

/* Two sites of one name are one row. */
static void merged(void) {
  SITE(first, "MPI_Bcast", 30);
  SITE(second, "MPI_Bcast", 30);
  several(&first, 300, 100, 200);
  several(&second, 600, 400, 500);
  SITE(third, "MPI_Bcast", 40);
  SITE(fourth, "MPI_Bcast", 40);
  several(&third, 600, 400, 500);
  several(&fourth, 300, 100, 200);
}

enum { threads = 4, count = 500 };
static comm_report_site sites[count];
static int arrived;

/* In each site another thread has the shortest. All come to a site before one
   goes on, so that they meet in it. */
static void *run(void *number) {
  for (int i = 0; i < count; ++i) {
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < threads * (i + 1))
      sched_yield();
    pretend(&sites[i], 100 * (1 + (i + *(int *)number) % threads));
  }
  return number;
}

static void together(void) {
  for (int i = 0; i < count; ++i)
    sites[i] = (comm_report_site){COMM_REPORT_ABI_VERSION,
                                  1000 + i,
                                  1,
                                  0,
                                  "MPI_Recv",
                                  "run",
                                  "threads.c",
                                  "",
                                  {0},
                                  0};
  pthread_t workers[threads];
  int numbers[threads];
  for (int i = 0; i < threads; ++i) {
    numbers[i] = i;
    pthread_create(&workers[i], 0, run, &numbers[i]);
  }
  for (int i = 0; i < threads; ++i)
    pthread_join(workers[i], 0);
}

int main(int argc, char **argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  comm_report_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  SITE(rankZero, "MPI_Bcast", 10);
  SITE(rankOne, "MPI_Bcast", 20);
  if (rank == 0) {
    several(&rankZero, 300, 100, 200);
    several(&rankOne, 600, 400, 500);
  } else {
    several(&rankZero, 600, 400, 500);
    several(&rankOne, 300, 100, 200);
  }
  merged();
  SITE(someRanks, "MPI_Bcast", 50);
  if (rank == 1)
    several(&someRanks, 300, 100, 200);
  SITE(once, "MPI_Bcast", 60);
  pretend(&once, 100);
  together();
  MPI_Finalize();
  return 0;
}
