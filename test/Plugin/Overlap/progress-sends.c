// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A receive progresses only after the sends that follow it have started: a long message that is let in before fills the
// way back, and the answer to the send comes after all of it.
// RUN: %commcc -O2 -g -Rpass=comm-insert-progress -c %s -o %t.o 2>&1 | FileCheck %s
#include <mpi.h>

// CHECK-NOT: progresses in the loop at progress-sends.c:[[#@LINE+5]]
// CHECK: MPI_Irecv at progress-sends.c:[[#@LINE+3]] progresses in the loop at progress-sends.c:[[#@LINE+7]]
void packed(double *restrict in, double *restrict out, const double *restrict x, double *restrict y, int n, int count) {
  MPI_Request requests[2];
  MPI_Irecv(in, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[0]);
  for (int i = 0; i < count; ++i)
    out[i] = x[3 * i];
  MPI_Isend(out, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < n; ++i)
    y[i] = 2 * y[i] + 1;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
