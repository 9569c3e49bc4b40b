// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link-time.h"
#include <mpi.h>

int exchange(void *out, int length, int to, void *in, int capacity, int from) {
  MPI_Status status;
  int received;
  MPI_Sendrecv(out, length, MPI_INT, to, 0, in, capacity, MPI_INT, from, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &received);
  return received;
}

int most(int mine) {
  int all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all;
}
