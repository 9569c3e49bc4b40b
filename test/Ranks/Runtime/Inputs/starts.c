// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent collectives match in the order in which they were made, and may be started in any (MPI-4, 6.13), together
// with others; a communicator may be freed before what uses it ends.
#include "forms.h"
#include <stdlib.h>

enum { Kinds = 5, Apart = 1023 };

/// Odd ranks start what even ranks start in the opposite order. Between the requests others have been made, so that
/// their numbers differ by a power of two.
static void anyOrder(MPI_Comm ring, int kind, int others) {
  int rank, size;
  MPI_Comm_rank(ring, &rank);
  MPI_Comm_size(ring, &size);
  int *out[2], *in[2], *ones = malloc(size * sizeof(int)), *places = malloc(size * sizeof(int));
  MPI_Request requests[2], none;
  MPI_Datatype *types = malloc(size * sizeof(*types));
  for (int i = 0; i < size; ++i) {
    ones[i] = 1;
    places[i] = i * sizeof(int);
    types[i] = MPI_INT;
  }
  for (int k = 0; k < 2; ++k) {
    out[k] = malloc((size + 2) * sizeof(int));
    in[k] = malloc((size + 2) * sizeof(int));
    if (kind == 0)
      MPI_Neighbor_alltoall_init(out[k], 1, MPI_INT, in[k], 1, MPI_INT, ring, MPI_INFO_NULL, &requests[k]);
    if (kind == 1)
      MPI_Alltoall_init(out[k], 1, MPI_INT, in[k], 1, MPI_INT, ring, MPI_INFO_NULL, &requests[k]);
    if (kind == 2)
      MPI_Allreduce_init(out[k], in[k], 1, MPI_INT, MPI_SUM, ring, MPI_INFO_NULL, &requests[k]);
    if (kind == 3)
      MPI_Alltoallw_init(out[k], ones, places, types, in[k], ones, places, types, ring, MPI_INFO_NULL, &requests[k]);
    if (kind == 4)
      MPI_Allgather_init(out[k], 1, MPI_INT, in[k], 1, MPI_INT, ring, MPI_INFO_NULL, &requests[k]);
    for (int i = 0; i < others; ++i) {
      MPI_Barrier_init(ring, MPI_INFO_NULL, &none);
      MPI_Request_free(&none);
    }
  }
  for (int round = 0; round < 3; ++round) {
    int sum, one = 1;
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < size + 2; ++i)
        out[k][i] = rank * 1000 + k * 100 + round * 10 + i;
    MPI_Start(&requests[rank % 2]);
    // In between, collectives that are not persistent.
    MPI_Request between;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, ring, &between);
    MPI_Barrier(ring);
    MPI_Start(&requests[1 - rank % 2]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&between, MPI_STATUS_IGNORE);
    EXPECT(sum == size);
    for (int k = 0; k < 2; ++k) {
      int what = k * 100 + round * 10;
      if (kind == 0)
        EXPECT(in[k][0] == (rank + size - 1) % size * 1000 + what + 1 && in[k][1] == (rank + 1) % size * 1000 + what);
      for (int i = 0; kind % 2 && i < size; ++i)
        EXPECT(in[k][i] == i * 1000 + what + rank);
      if (kind == 2)
        EXPECT(in[k][0] == size * (size - 1) / 2 * 1000 + size * what);
      for (int i = 0; kind == 4 && i < size; ++i)
        EXPECT(in[k][i] == i * 1000 + what);
    }
  }
  for (int k = 0; k < 2; ++k) {
    MPI_Request_free(&requests[k]);
    free(out[k]);
    free(in[k]);
  }
  free(ones);
  free(places);
  free(types);
}

/// The communicator is gone before its collectives are done.
static void freed(MPI_Comm comm) {
  int size, one = 1, sums[2];
  MPI_Comm copy;
  MPI_Request requests[3];
  MPI_Comm_size(comm, &size);
  MPI_Comm_dup(comm, &copy);
  MPI_Allreduce_init(&one, &sums[0], 1, MPI_INT, MPI_SUM, copy, MPI_INFO_NULL, &requests[0]);
  MPI_Iallreduce(&one, &sums[1], 1, MPI_INT, MPI_SUM, copy, &requests[1]);
  MPI_Ibarrier(copy, &requests[2]);
  MPI_Start(&requests[0]);
  MPI_Comm_free(&copy);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  EXPECT(sums[0] == size && sums[1] == size);
  MPI_Request_free(&requests[0]);
}

int main(int argc, char **argv) {
  int size, periodic = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  for (int kind = 0; kind < Kinds; ++kind) {
    anyOrder(ring, kind, 0);
    anyOrder(ring, kind, Apart);
  }
  freed(ring);
  MPI_Comm_free(&ring);
  return asExpected("starts");
}
