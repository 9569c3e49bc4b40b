// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits that left their branches pass starts only if their bytes are disjoint, which a run-time test checks.
// Long messages: nothing arrives before its wait, and nothing is sent.
// RUN: %same %s -o %t -n 2 --overlaps "MPI_(Send|Recv) at branch-guards.c:[0-9]+"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

static double values[steps];

/// Row 1 is sent, row m + 1 is received: with no row between them they are the same.
NOINLINE static void rows(int *u, int m, int up, int down) {
  // CHECK-DAG: branch-guards.c:[[#@LINE+2]]:{{[0-9]+}}: remark: MPI_Send at branch-guards.c:[[#@LINE+2]] overlaps
  if (up >= 0)
    MPI_Send(u + many, many, MPI_INT, up, 1, MPI_COMM_WORLD);
  // CHECK-DAG: branch-guards.c:[[#@LINE+2]]:{{[0-9]+}}: remark: MPI_Recv at branch-guards.c:[[#@LINE+2]] overlaps
  if (down >= 0)
    MPI_Recv(u + (m + 1) * many, many, MPI_INT, down, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("row", total(u + (m + 1) * many, many) + (long)values[steps - 1]);
}

/// Likewise in one branch.
NOINLINE static void branch(int *u, int m, int partner) {
  if (partner >= 0) {
    // CHECK-DAG: branch-guards.c:[[#@LINE+1]]:{{[0-9]+}}: remark: MPI_Send at branch-guards.c:[[#@LINE+1]] overlaps
    MPI_Send(u + many, many, MPI_INT, partner, 1, MPI_COMM_WORLD);
    // CHECK-DAG: branch-guards.c:[[#@LINE+1]]:{{[0-9]+}}: remark: MPI_Recv at branch-guards.c:[[#@LINE+1]] overlaps
    MPI_Recv(u + (m + 1) * many, many, MPI_INT, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  work(values);
  say("branch", total(u + (m + 1) * many, many) + (long)values[steps - 1]);
}

/// The other side: its message is early, and it reads the received data late.
NOINLINE static void partner(int *in, int *out, int to) {
  MPI_Request request;
  MPI_Isend(out, many, MPI_INT, to, 2, MPI_COMM_WORLD, &request);
  nap(30);
  MPI_Recv(in, many, MPI_INT, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("got", total(in, many));
}

int main(int argc, char **argv) {
  int *u = calloc(3 * many, sizeof(int)), *in = calloc(many, sizeof(int));
  begin(&argc, &argv);
  for (int m = 0; m < 2; ++m)
    for (int kind = 0; kind < 2; ++kind) {
      fill(u, 3 * many, 1000 * rank + m);
      if (rank % 2)
        partner(in, u, rank - 1);
      else if (kind)
        branch(u, m, rank + 1);
      else
        rows(u, m, rank + 1, rank + 1);
    }
  MPI_Finalize();
  return 0;
}
