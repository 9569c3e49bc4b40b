// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A request that is freed while its message is in flight (MPI-4, 3.7.3): the receiver's answer shows when the buffer
// may be written again. With -DELSEWHERE another file starts and frees, and the functions of this one run as written.
// In PERSISTENT one path to the free bypasses the wait.
// RUN: %same %s -o %t -n 2
// RUN: %same %s -o %t.persistent -n 2 -- -DPERSISTENT
// RUN: %commcc -O2 -g -Rcomm %s -o %t.remarks 2>&1 | FileCheck %s
// RUN: %commcc -O2 -g -Rcomm -DPERSISTENT %s -o %t.remarks 2>&1 | FileCheck --check-prefix=PERSISTENT %s
// RUN: %commcc -O2 -g -Rcomm -DELSEWHERE -c %s -o %t.exchange.o 2>&1 | FileCheck --check-prefix=ELSEWHERE %s
// RUN: %commcc -O2 -DPOST -c %s -o %t.post.o && %commcc %t.exchange.o %t.post.o -o %t.two
// RUN: %mpirun -n 2 %t.two | FileCheck --check-prefix=RUNS %s
// RUNS-COUNT-2: exact
// CHECK: remark: MPI_Request_free may free a request that is active
// CHECK-NOT: overlaps
// PERSISTENT: remark: MPI_Request_free may free a request that is active
// PERSISTENT-NOT: overlaps
// ELSEWHERE: overlaps {{[1-9]}} loop
#include "Inputs/soundness.h"

enum { cells = 20000 };
void post(double *out, int to, int early);

#ifndef ELSEWHERE
void post(double *out, int to, int early) {
  MPI_Request request;
#ifdef PERSISTENT
  MPI_Send_init(out, cells, MPI_DOUBLE, to, 1, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  if (!early)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
  MPI_Isend(out, cells, MPI_DOUBLE, to, 1, MPI_COMM_WORLD, &request);
#endif
  MPI_Request_free(&request);
}
#endif

#ifndef POST
NOINLINE static double exchange(double *restrict out, double *restrict in, int other) {
  char mine = 0, theirs;
  MPI_Recv(in, cells, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&mine, 1, MPI_CHAR, other, 2, MPI_COMM_WORLD);
  MPI_Recv(&theirs, 1, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < cells; ++i)
    out[i] = -1;
  double sum = theirs;
  for (int i = 0; i < cells; ++i)
    sum += in[i];
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  double *out = malloc(cells * sizeof *out), *in = malloc(cells * sizeof *in);
  double expected = 0;
  for (int i = 0; i < cells; ++i) {
    out[i] = rank + i;
    expected += 1 - rank + i;
  }
  post(out, 1 - rank, argc > 0);
  printf("rank %d: %s\n", rank, exchange(out, in, 1 - rank) == expected ? "exact" : "wrong");
  free(out), free(in);
  MPI_Finalize();
  return 0;
}
#endif
