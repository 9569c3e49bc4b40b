// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait queries the communicator of a later branch. If the branch is not entered the communicator may be invalid:
// freed, or never created.
// RUN: %same %s -o %t -n 2 --overlaps "MPI_Recv at branch-communicators.c:1[0-9]"
#include "Inputs/soundness.h"

static double values[steps];
static int out[many], in[many], more[many];

NOINLINE static void pairs(int me, int mayUse, MPI_Comm pair) {
  if (me == 1)
    MPI_Send(out, many, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (me == 0)
    MPI_Recv(in, many, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (mayUse && me == 1)
    MPI_Recv(more, many, MPI_INT, 0, 2, pair, MPI_STATUS_IGNORE);
  if (mayUse && me == 0)
    MPI_Send(out, many, MPI_INT, 1, 2, pair);
  work(values);
  say("pairs", total(in, many) + total(more, many) + (long)values[steps - 1]);
}

/// The branch is entered, and a nested branch is not.
NOINLINE static void nested(int me, int isOn, int mayUse, MPI_Comm pair) {
  if (me == 1)
    MPI_Send(out, many, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (me == 0)
    MPI_Recv(in, many, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (isOn) {
    values[0] += 1;
    if (mayUse && me == 1)
      MPI_Recv(more, many, MPI_INT, 0, 2, pair, MPI_STATUS_IGNORE);
    if (mayUse && me == 0)
      MPI_Send(out, many, MPI_INT, 1, 2, pair);
  }
  work(values);
  say("nested", total(in, many) + total(more, many) + (long)values[steps - 1]);
}

int main(int argc, char **argv) {
  // MPI may not even be initialized.
  pairs(-1, 0, MPI_COMM_NULL);
  begin(&argc, &argv);
  fill(out, many, rank);
  MPI_Comm pair;
  MPI_Comm_dup(MPI_COMM_WORLD, &pair);
  MPI_Comm freed = pair;
  // Not a handle: it must not be read there.
  volatile long noHandle = 0x10;
  pairs(rank, 1, pair);
  nested(rank, 1, 1, pair);
  MPI_Comm_free(&pair);
  pairs(rank, 0, freed);
  nested(rank, 1, 0, freed);
  pairs(rank, 0, (MPI_Comm)noHandle);
  nested(rank, 1, 0, (MPI_Comm)noHandle);
  MPI_Finalize();
  return 0;
}
