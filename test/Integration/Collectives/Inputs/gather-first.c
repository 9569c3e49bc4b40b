// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that overlap nothing, in a file of their own: in a file that starts gathers, they would keep all of them
// blocking.
#include "gathers.h"

unsigned gatherFirst(MPI_Comm comm, int times, int microseconds) {
  static volatile int received;
  unsigned sum = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Allgather(&in, 1, MPI_INT, out, 1, MPI_INT, comm);
    received = next(i);
    compute(microseconds);
    in = received;
    sum = sum * 3 + in;
  }
  return sum;
}

int gatherWrongly(MPI_Comm comm) { return MPI_Allgather(&in, -1, MPI_INT, out, -1, MPI_INT, comm); }
