// A collective that was proved overlaps computation like any other.
// RUN: commcc -O2 -fcomm-detect=ahead -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=CALLS
// CALLS: MPI_Ialltoall
// CALLS: MPI_Wait
// RUN: not commcc -O2 -mllvm -comm-detect=later -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: comm: invalid value 'later' for -mllvm -comm-detect; valid values are off, ahead, run-time and all
#include <mpi.h>

// CHECK: remark: the messages from detect-overlap.c:[[LINE:[0-9]+]] on are MPI_Alltoall, for any number of processes
// CHECK: remark: MPI_Alltoall at detect-overlap.c:[[LINE]] overlaps 1 loop
double exchange(const double *restrict out, double *restrict in, double *restrict own, int n) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int p = 0; p < size; ++p)
    MPI_Sendrecv(out + 8 * p, 8, MPI_DOUBLE, p, 0, in + 8 * p, 8, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    own[i] = own[i] * own[i] + 1;
  return in[0];
}
