// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits that left two arms of a branch pass each other, since one of them completes nothing. Waits that left two
// branches, one after the other, do not: the second message overwrites the beginning of the first one.
// RUN: %same %s -o %t -n 2 --overlaps "MPI_Recv at alternatives.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

static double values[steps];

/// Both rows in an order that depends on the process; each arm receives into the same rows.
NOINLINE static void parity(int *u, int m, int down, int up) {
  for (int t = 0; t < 3; ++t) {
    if (rank % 2 == 0) {
      // CHECK-DAG: alternatives.c:[[#@LINE+3]]:{{[0-9]+}}: remark: MPI_Recv at alternatives.c:[[#@LINE+3]] overlaps 1 loop
      if (up >= 0) {
        MPI_Send(u + m * few, few, MPI_INT, up, 0, MPI_COMM_WORLD);
        MPI_Recv(u + (m + 1) * few, few, MPI_INT, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      // CHECK-DAG: alternatives.c:[[#@LINE+3]]:{{[0-9]+}}: remark: MPI_Recv at alternatives.c:[[#@LINE+3]] overlaps 1 loop
      if (down >= 0) {
        MPI_Send(u + few, few, MPI_INT, down, 0, MPI_COMM_WORLD);
        MPI_Recv(u, few, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    } else {
      // CHECK-DAG: alternatives.c:[[#@LINE+2]]:{{[0-9]+}}: remark: MPI_Recv at alternatives.c:[[#@LINE+2]] overlaps 1 loop
      if (down >= 0) {
        MPI_Recv(u, few, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(u + few, few, MPI_INT, down, 0, MPI_COMM_WORLD);
      }
      // CHECK-DAG: alternatives.c:[[#@LINE+2]]:{{[0-9]+}}: remark: MPI_Recv at alternatives.c:[[#@LINE+2]] overlaps 1 loop
      if (up >= 0) {
        MPI_Recv(u + (m + 1) * few, few, MPI_INT, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(u + m * few, few, MPI_INT, up, 0, MPI_COMM_WORLD);
      }
    }
    for (int step = 1; step < steps; ++step)
      values[step] = values[step - 1] * 0.5 + step;
    for (int i = few; i < (m + 1) * few; ++i)
      u[i] = 3 * u[i - few] - u[i + few];
  }
  say("parity", total(u, (m + 2) * few) + (long)values[steps - 1]);
}

/// The message of the second branch is early, and that of the first one late.
NOINLINE static void sequence(int *u, int first, int second) {
  if (first >= 0)
    MPI_Recv(u, many, MPI_INT, first, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (second >= 0)
    MPI_Recv(u, many / 2, MPI_INT, second, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("sequence", total(u, many) + (long)values[steps - 1]);
}

/// The same in two arms that different turns of a loop enter.
NOINLINE static void turns(int *u, int from) {
  for (int t = 0; t < 4; ++t) {
    if (t % 2 == 0)
      MPI_Recv(u, many, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Recv(u, many / 2, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(values);
    say("turn", total(u, many) + (long)values[steps - 1]);
  }
}

NOINLINE static void sender(int *u, int to) {
  MPI_Request requests[2];
  fill(u, many, 7);
  MPI_Isend(u + 1, many / 2, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[1]);
  nap(30);
  MPI_Isend(u, many, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  int *u = calloc(many + 1, sizeof(int));
  begin(&argc, &argv);
  fill(u, 6 * few, 1000 * rank);
  parity(u, 4, rank - 1, rank + 1 < size ? rank + 1 : -1);
  if (rank % 2) {
    sender(u, rank - 1);
    for (int t = 0; t < 2; ++t)
      sender(u, rank - 1);
  } else {
    sequence(u, rank + 1, rank + 1);
    turns(u, rank + 1);
  }
  MPI_Finalize();
  return 0;
}
