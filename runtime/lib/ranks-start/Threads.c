/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread started by a rank sees that rank's variables, which also tell the runtime on behalf of which rank it calls
 * MPI, if it may (MPI_Init_thread).
 */
#include "RankStorage.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct Start {
  void *(*function)(void *);
  void *argument;
  ptrdiff_t displacement;
} Start;

static void *run(void *given) {
  Start start = *(Start *)given;
  free(given);
  comm_ranks_displacement = start.displacement;
  return start.function(start.argument);
}

int comm_ranks_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                              void *argument) {
  int error;
  Start *start = malloc(sizeof *start);
  if (!start)
    return EAGAIN;
  start->function = function;
  start->argument = argument;
  start->displacement = comm_ranks_displacement;
  error = pthread_create(thread, attributes, run, start);
  if (error)
    free(start);
  return error;
}
