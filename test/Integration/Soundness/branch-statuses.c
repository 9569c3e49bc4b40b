// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two receives in one branch share a status: that of the second one remains, even if an early wait for it tests a
// condition that the first one need not (whether a message may be sent to another process before it arrives).
// RUN: %commcc -O2 -fcomm-cost=none %s -o %t.none
// RUN: %mpirun -n 3 %t.none | FileCheck %s
// CHECK: rank 0: source 2
// RUN: %same %s -o %t -n 3 --overlaps "MPI_(Send|Recv) at branch-statuses.c:[0-9]+"
#include "Inputs/soundness.h"

static double values[steps];

NOINLINE static void tell(const MPI_Status *status) { say("source", status->MPI_SOURCE); }

NOINLINE static void both(int *restrict a, int *restrict b) {
  int data[few], first = (rank + 1) % size, second = (rank + 2) % size;
  MPI_Status status = {.MPI_SOURCE = -7};
  fill(data, few, rank);
  if (size > 2) {
    MPI_Recv(a, many, MPI_INT, first, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(b, many, MPI_INT, second, 0, MPI_COMM_WORLD, &status);
    MPI_Send(data, few, MPI_INT, first, 1, MPI_COMM_WORLD);
  }
  work(values);
  tell(&status);
  say("received", total(a, many) + 3 * total(b, many) + (long)values[steps - 1]);
}

int main(int argc, char **argv) {
  int *a = calloc(many, sizeof(int)), *b = calloc(many, sizeof(int));
  begin(&argc, &argv);
  if (rank == 0) {
    both(a, b);
  } else {
    nap(10 * rank);
    fill(a, many, 100 * rank);
    MPI_Send(a, many, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 1)
      MPI_Recv(b, few, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("received", total(b, few));
  }
  MPI_Finalize();
  return 0;
}
