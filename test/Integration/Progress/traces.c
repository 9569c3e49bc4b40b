// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes that MPI makes to errno, and floating-point exceptions that it raises, are not visible in a loop with
// progress calls.
// RUN: env COMM_COST=none %commcc -O2 %s -o %t -lm
// RUN: %brief -n 2 %t | FileCheck %s
// CHECK: errno 77, exceptions 0
// CHECK: loop: asks{{$}}
#define PMPI_Request_get_status count_status
#include "Inputs/count.h"
#undef PMPI_Request_get_status
#include <errno.h>
#include <fenv.h>

enum { most = 1 << 18 };
static double in[most], out[most];
static volatile double one = 1, zero;

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  errno = 99;
  one = one / zero;
  return count_status(request, flag, status);
}

int main(int argc, char **argv) {
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(out, most, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(in, most, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  errno = 77;
  feclearexcept(FE_ALL_EXCEPT);
  long x = argc;
  for (long i = 0; i < 30000000; ++i)
    x = x * 1103515245 + i;
  int seen = errno, raised = fetestexcept(FE_DIVBYZERO);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 0)
    printf("errno %d, exceptions %d\n", seen, raised);
  if (x != 0)
    say("loop");
  MPI_Finalize();
  return 0;
}
