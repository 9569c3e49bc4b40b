// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of waits in the program's order: completing one generalized request completes the next one, so a single wait
// for all of them would never return.
// RUN: %same %s -o %t -n 1,2
#include "Inputs/soundness.h"

enum { n = 1000, most = 4 };
static double in[n], out[n], results[n];

static int query(void *state, MPI_Status *status) {
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  (void)state;
  return MPI_SUCCESS;
}
static int completeNext(void *next) { return next ? MPI_Grequest_complete(*(MPI_Request *)next) : MPI_SUCCESS; }
static int cancel(void *state, int isComplete) {
  (void)state, (void)isComplete;
  return MPI_SUCCESS;
}

/// Nothing is known of the requests.
static NOINLINE void one(MPI_Request *requests, int count) {
  for (int i = 0; i < count; ++i)
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, n, MPI_DOUBLE, rank, 0, in, n, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    results[i] = in[i] * 2;
  say("one", (long)results[n - 1]);
}

/// One of them is recorded.
static NOINLINE void recorded(MPI_Request *requests, int count) {
  MPI_Isend(out, n, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &requests[count - 1]);
  MPI_Recv(in, n, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i)
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i)
    results[i] = results[i] * 0.5 + i;
  say("recorded", (long)(results[n - 1] + in[n - 1]));
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int i = 0; i < n; ++i)
    out[i] = i;
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Request *requests = malloc(most * sizeof *requests);
    int count = most - (turn & 1); // the last request is a message's in every other iteration
    for (int i = 0; i < count; ++i)
      MPI_Grequest_start(query, completeNext, cancel, i + 1 < count ? &requests[i + 1] : NULL, &requests[i]);
    MPI_Grequest_complete(requests[0]);
    if (turn & 1)
      recorded(requests, most + argc - 1);
    else
      one(requests, most + argc - 1);
    free(requests);
  }
  MPI_Finalize();
  return 0;
}
