// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rank 1 of answers.c: it finds out whether rank 0's answer was started before its question was asked.
#ifndef COMM_TEST_SOUNDNESS_OBSERVER_H
#define COMM_TEST_SOUNDNESS_OBSERVER_H
#include "soundness.h"

enum { question = 0, answer = 1 };

static inline void ask(void) {
  int data[few];
  fill(data, few, 8);
  MPI_Send(data, few, MPI_INT, 0, question, MPI_COMM_WORLD);
}

static inline void take(MPI_Request *request, const int *data) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  say("answer", total(data, few));
}

NOINLINE void observe(void) {
  int data[few] = {0}, other = 0, seen = 0;
  MPI_Request requests[2];
  (void)other, (void)seen, (void)requests;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); // of this file
#if defined(ANY)
  // Rank 2 is late, and still first.
  MPI_Status status;
  MPI_Recv(data, few, MPI_INT, MPI_ANY_SOURCE, answer, MPI_COMM_WORLD, &status);
  ask();
  say("first", status.MPI_SOURCE);
  MPI_Recv(data, few, MPI_INT, MPI_ANY_SOURCE, answer, MPI_COMM_WORLD, &status);
  say("second", status.MPI_SOURCE);
#elif defined(WAITANY) || defined(WAITSOME)
  MPI_Irecv(data, few, MPI_INT, 0, answer, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&other, 1, MPI_INT, 2, answer, MPI_COMM_WORLD, &requests[1]);
#ifdef WAITANY
  MPI_Waitany(2, requests, &seen, MPI_STATUS_IGNORE);
#else
  int indices[2], n;
  MPI_Waitsome(2, requests, &n, indices, MPI_STATUSES_IGNORE);
  seen = 10 * n + indices[0];
#endif
  say("seen", seen);
  ask();
  take(&requests[0], data);
#elif defined(TEST) || defined(GET_STATUS)
  MPI_Irecv(data, few, MPI_INT, 0, answer, MPI_COMM_WORLD, &requests[0]);
  for (int i = 0; i < 20; ++i) {
    nap(10);
#ifdef TEST
    if (!seen)
      MPI_Test(&requests[0], &seen, MPI_STATUS_IGNORE);
#else
    MPI_Request_get_status(requests[0], &seen, MPI_STATUS_IGNORE);
#endif
  }
  say("seen", seen);
  ask();
  take(&requests[0], data);
#elif defined(PROBE)
  for (int i = 0; i < 20 && !seen; ++i) {
    nap(10);
    MPI_Iprobe(0, answer, MPI_COMM_WORLD, &seen, MPI_STATUS_IGNORE);
  }
  say("seen", seen);
  ask();
  MPI_Recv(data, few, MPI_INT, 0, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("answer", total(data, few));
#elif defined(CANCEL)
  MPI_Status status;
  MPI_Irecv(data, few, MPI_INT, 0, answer, MPI_COMM_WORLD, &requests[0]);
  for (int i = 0; i < 20; ++i) { // MPI receives pending messages when it is called
    nap(10);
    MPI_Sendrecv(&i, 1, MPI_INT, 1, 9, &other, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &seen);
  say("cancelled", seen);
  ask();
  MPI_Recv(data, few, MPI_INT, 0, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("answer", total(data, few));
#else
  // It only waits.
  nap(200);
  ask();
  MPI_Recv(data, few, MPI_INT, 0, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("answer", total(data, few));
#endif
}
#endif
