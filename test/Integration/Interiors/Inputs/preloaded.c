// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what a program has computed at its waits as early.c does, but the program calls nothing for that, so that the
// file with main shows everything that it calls. A library that the program is linked with.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

/// Variables of the program: the array, and how many cells it has.
extern double *watched;
extern long number;

static const double *counted;
static long counts[16];
static int numCounts;

/// Counts once for each array, at the first wait.
static void count(int n, const MPI_Request *requests) {
  int waits = 0;
  for (int i = 0; i < n; ++i)
    waits |= requests[i] != MPI_REQUEST_NULL;
  if (!waits || !watched || watched == counted)
    return;
  counted = watched;
  for (long i = 0; i < number; ++i)
    counts[numCounts] += !isnan(watched[i]);
  ++numCounts;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  count(1, request);
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses) {
  count(n, requests);
  return PMPI_Waitall(n, requests, statuses);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < numCounts && rank == 0; ++i)
    printf("array %d: %ld before the first wait\n", i, counts[i]);
  return PMPI_Finalize();
}
