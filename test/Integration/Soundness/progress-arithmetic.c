// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI leaves no trace in a loop: sums use the floating-point environment of their start, errno stays, no function of
// the program is called, and a process without starts calls nothing, whether MPI is initialized or not.
// RUN: %same %s -o %t -n 1,2,4 -- -lm
// RUN: %same %s -o %t.tcp -n 2 --mpirun-options "--mca btl tcp,self --mca pml ob1" -- -lm
#include "Inputs/soundness.h"
#include <errno.h>
#include <fenv.h>

static double out[many], in[many], values[steps];
static volatile int phase;
static int calls;

/// With the loop's rounding other digits come out.
NOINLINE static void rounding(void) {
  MPI_Request request;
  for (int i = 0; i < many; ++i)
    in[i] = rank == 0 ? 1 : 1e-17 * (i % 5 + rank);
  MPI_Iallreduce(in, out, many, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  fesetround(FE_UPWARD);
  double x = 1;
  for (long i = 0; i < 30000000; ++i)
    x = x * 0.999999 + 0.5;
  values[0] = x;
  fesetround(FE_TONEAREST);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double sum = 0;
  for (int i = 0; i < many; ++i)
    sum += (out[i] - 1) * (i % 7 + 1);
  printf("rank %d: rounding %a %a\n", rank, sum, values[0]);
}

static void note(void *from, void *to, int *length, MPI_Datatype *type) {
  calls += phase == 1;
  for (int i = 0; i < *length; ++i)
    ((double *)to)[i] += ((double *)from)[i];
}

/// An operator of the program that inspects the loop's state.
NOINLINE static void operator(MPI_Op op) {
  MPI_Request request;
  MPI_Iallreduce(in, out, many, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
  phase = 1;
  double x = 1;
  for (long i = 0; i < 30000000; ++i)
    x = x * 0.999999 + 0.5;
  values[0] = x;
  phase = 2;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("rank %d: called %d times in the loop\n", rank, calls);
}

NOINLINE static void error(void) {
  MPI_Request requests[2];
  MPI_Irecv(out, many, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(in, many, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  errno = 77;
  double x = 1;
  for (long i = 0; i < 30000000; ++i)
    x = x * 0.999999 + 0.5;
  values[0] = x;
  int seen = errno;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  say("errno", seen);
}

/// Without another process nothing is started, and nothing must be asked of MPI.
NOINLINE static void alone(int neighbor) {
  if (neighbor >= 0) {
    if (rank % 2)
      MPI_Recv(out, few, MPI_DOUBLE, neighbor, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(in, few, MPI_DOUBLE, neighbor, 1, MPI_COMM_WORLD);
  }
  double x = 1;
  for (long i = 0; i < 3000000; ++i)
    x = x * 0.999999 + 0.5;
  values[0] = x;
  printf("rank %d: alone %a %a\n", rank, x, out[3]);
}

int main(int argc, char **argv) {
  alone(-1);
  begin(&argc, &argv);
  MPI_Op op;
  MPI_Op_create(note, 1, &op);
  alone(size % 2 ? -1 : rank ^ 1);
  rounding();
  operator(op);
  error();
  MPI_Op_free(&op);
  MPI_Finalize();
  alone(-1);
  return 0;
}
