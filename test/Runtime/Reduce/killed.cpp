// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process that is killed ends the run within seconds, whether the others
// wait in an exchange or compute, and no process stays.
//
// clang-format off
// RUN: %mpicxx -std=c++17 -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommReduce.a
// RUN: env COMM_REDUCE_TRANSPORT=shared not %mpirun -n 2 %t 2>&1 | FileCheck %s
// RUN: env COMM_REDUCE_TRANSPORT=messages not %mpirun -n 2 %t 2>&1 | FileCheck %s
// clang-format on
// CHECK-NOT: survived
// CHECK: {{signal 9|KILLED BY SIGNAL: 9|has ended}}
#include "comm/reduce.h"

#include <csignal>
#include <cstdio>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  comm_reduce *reduce;
  if (comm_reduce_create(MPI_COMM_WORLD, nullptr, &reduce))
    return 1;
  comm_reduce_votes votes = {};
  for (int pulse = 0; pulse < 1000; ++pulse) {
    if (pulse == 500 && rank == 1)
      raise(SIGKILL);
    comm_reduce_vote(reduce, &votes);
  }
  printf("survived\n");
  MPI_Finalize();
  return 0;
}
