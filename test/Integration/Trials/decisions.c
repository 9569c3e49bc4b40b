// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What trials decide, asked as loops do: one way takes 30 ms longer than the other. The launcher's variable says that
// each process has its own node.
// REQUIRES: openmpi
// RUN: %commcc -O2 %s -o %t
// RUN: %brief -n 1 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=0 %t | FileCheck %s
// RUN: %brief -n 1 %t | FileCheck --check-prefix=NODE %s
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

uint64_t comm_ask_split(uint64_t site, int64_t count);
void comm_call_end_split(uint64_t token);

enum { isWhole = 1, split = 0, whole = 1, never = 2 };

static void run(uint64_t token, int slow) {
  if ((int)(token & isWhole) == slow)
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
  comm_call_end_split(token);
}

/// How many of these runs are whole.
static int count(uint64_t site, int64_t iterations, int runs, int slow) {
  int all = 0;
  for (int i = 0; i < runs; ++i) {
    uint64_t token = comm_ask_split(site, iterations);
    all += token & isWhole;
    run(token, slow);
  }
  return all;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  // NODE: split is slow: 7 whole at first, then all
  // CHECK: split is slow: [[#]] whole at first, then all
  int first = count(1, 100, 7, split), then = count(1, 100, 50, split);
  printf("split is slow: %d whole at first, then %s\n", first, then == 50 ? "all" : "not all");
  // One run of it tells.
  // CHECK: whole is slow: 1 whole of 60
  printf("whole is slow: %d whole of 60\n", count(2, 100, 60, whole));
  // Another level of a multigrid is another loop, and so is one at another place.
  // CHECK: many iterations: 1 whole of 60
  printf("many iterations: %d whole of 60\n", count(1, 100000, 60, whole));
  // It is tried again, as what is on the wire, and on other cores, changes.
  // CHECK: now whole is slow: some split
  printf("now whole is slow: %s split\n", count(1, 120, 20, whole) < 20 ? "some" : "none");
  // CHECK: then: none whole
  // NODE: then: all whole
  then = count(1, 120, 30, whole);
  printf("then: %s whole\n", then == 30 ? "all" : then ? "some" : "none");
  // Loops that an exception leaves tell nothing.
  // CHECK: untold: 0 whole of 20
  int untold = 0;
  for (int i = 0; i < 20; ++i)
    untold += comm_ask_split(3, 100) & isWhole;
  printf("untold: %d whole of 20\n", untold);
  // More loops than there is room for run in two parts, and nothing is timed.
  // CHECK: many loops: as they were
  int odd = 0;
  for (int i = 0; i < 200; ++i)
    odd += comm_ask_split(100 + i, 1) & isWhole;
  uint64_t token = comm_ask_split(1000, 1);
  comm_call_end_split(token);
  printf("many loops: %s\n", odd == 0 && token == 0 ? "as they were" : "not as they were");
  MPI_Finalize();
  return 0;
}
