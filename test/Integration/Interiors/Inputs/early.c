// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits that first count computed cells. In a separate file, compiled without Comm.
#include "early.h"

#include <math.h>
#include <mpi.h>
#include <stddef.h>

static const double *watched;
static long number, counted = -1, atStart = -1, atReceive = -1;
static MPI_Request received[64];
static int numReceived;

void watch(const double *cells, long n) {
  watched = cells;
  number = n;
  counted = atStart = atReceive = -1;
  numReceived = 0;
}

long early(void) {
  watched = NULL;
  return counted;
}

long during(void) {
  watched = NULL;
  return counted < 0 || atStart < 0 ? -1 : counted - atStart;
}

long beforeReceive(void) {
  watched = NULL;
  return atReceive;
}

static long countNow(void) {
  long cells = 0;
  for (long i = 0; i < number; ++i)
    cells += !isnan(watched[i]);
  return cells;
}

static void count(int n, const MPI_Request *requests) {
  int waits = 0;
  for (int i = 0; i < n; ++i)
    waits |= requests[i] != MPI_REQUEST_NULL;
  if (!waits || !watched)
    return;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < numReceived; ++k)
      if (atReceive < 0 && requests[i] == received[k])
        atReceive = countNow();
  if (counted < 0)
    counted = countNow();
}

static void start(void) {
  if (watched && atStart < 0)
    atStart = countNow();
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  start();
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  start();
  int error = PMPI_Irecv(data, n, type, from, tag, comm, request);
  if (watched && from != MPI_PROC_NULL && numReceived < 64)
    received[numReceived++] = *request;
  return error;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  count(1, request);
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses) {
  count(n, requests);
  return PMPI_Waitall(n, requests, statuses);
}
