// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two places that call the same two broadcasts: one overlaps its computation, the other one overlaps nothing.
#ifndef COMM_TEST_PLACES_H
#define COMM_TEST_PLACES_H
#include "soundness.h"

static double room[steps];

/// Returns the sum of the sent data, equal on all ranks.
__attribute__((noinline, unused)) static long here(int root, MPI_Comm comm) {
  int c = 3, d[few];
  fill(d, few, 7);
  MPI_Bcast(&c, 1, MPI_INT, root, comm);
  MPI_Bcast(d, few, MPI_INT, root, comm);
  work(room);
  return total(d, few) + c + (long)room[steps - 1];
}

__attribute__((noinline, unused)) static long there(int root, MPI_Comm comm) {
  static volatile long sum;
  int c = 3, d[few];
  fill(d, few, 7);
  work(room);
  sum = (long)room[steps - 1];
  MPI_Bcast(&c, 1, MPI_INT, root, comm);
  sum += c;
  MPI_Bcast(d, few, MPI_INT, root, comm);
  return sum + total(d, few);
}
#endif
