/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A process that waits long for the others prints where, and continues to wait.
// RUN: %mpicc -O1 -Wall -I%comm_runtime_include %s -o %t %comm_lib_dir/libCommCDagRun.a %comm_lib_dir/libCommCDag.a
// RUN: env COMM_CDAG_TIMEOUT=1 %mpirun -n 2 %t 2>&1 | FileCheck %s
// CHECK: comm-cdag: process 1 has waited 1 s at late.c:17:3 for the other processes
// CHECK: got 5
#include "comm/cdag.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, value = 5, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  comm_cdag_phase_begin("late.c:17:3", MPI_COMM_WORLD);
  if (rank == 0) {
    comm_cdag_phase_send(&value, 1, MPI_INT, 1, 0);
    sleep(3);
  } else {
    comm_cdag_phase_recv(&got, 1, MPI_INT, 0, 0);
  }
  comm_cdag_phase_end();
  if (rank == 1)
    printf("got %d\n", got);
  MPI_Finalize();
  return 0;
}
