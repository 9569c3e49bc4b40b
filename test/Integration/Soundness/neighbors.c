// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a ring of one or two processes both neighbors are the same process. Open MPI's MPI_Ineighbor_alltoall then
// exchanges the two blocks, unlike its MPI_Neighbor_alltoall.
// RUN: %same %s -o %t -n 1,2,3 --overlaps MPI_Neighbor_allgather
#include "Inputs/soundness.h"

static double room[steps], more[steps];

NOINLINE void exchange(const int *restrict mine, int *restrict theirs, MPI_Comm ring) {
  MPI_Neighbor_alltoall(mine, few, MPI_INT, theirs, few, MPI_INT, ring);
  work(room);
}

NOINLINE void spread(const int *restrict mine, int *restrict theirs, MPI_Comm ring) {
  MPI_Neighbor_allgather(mine, few, MPI_INT, theirs, few, MPI_INT, ring);
  work(more);
}

int main(int argc, char **argv) {
  int mine[2 * few], theirs[2 * few] = {0}, periodic = 1;
  begin(&argc, &argv);
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  fill(mine, 2 * few, 100 * rank);
  exchange(mine, theirs, ring);
  say("exchanged", total(theirs, 2 * few));
  spread(mine, theirs, ring);
  say("spread", total(theirs, 2 * few));
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
