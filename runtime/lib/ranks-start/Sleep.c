/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A sleeping rank lets the others of its core run (POSIX nanosleep, sleep, usleep): a probe that finds nothing yields
 * the core to the next ready rank.
 */
#define _GNU_SOURCE
#include "comm/ranks.h"

#define MPI_Iprobe comm_ranks_MPI_Iprobe
#define MPI_Initialized comm_ranks_MPI_Initialized
#define MPI_Finalized comm_ranks_MPI_Finalized
#include <mpi.h>

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { nanoseconds = 1000000000 };

/* Only a rank that has called MPI has a site; other threads have none. */
static int is_rank_with_mpi(void) {
  int initialized = 0, finalized = 0;
  if (!comm_ranks_call_site)
    return 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * nanoseconds + time.tv_nsec;
}

static void sleep_for(long long duration) {
  long long end = now() + duration;
  for (long long before = now(); before < end; before = now()) {
    int found;
    long long after;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    after = now();
    /* No other rank had work, so let the core rest a little. */
    if (after - before < 5000 && after < end) {
      struct timespec rest = {0, end - after < 50000 ? end - after : 50000};
      nanosleep(&rest, NULL);
    }
  }
}

int comm_ranks_nanosleep(const struct timespec *duration, struct timespec *rest) {
  if (!is_rank_with_mpi() || duration->tv_sec < 0 || duration->tv_nsec < 0 || duration->tv_nsec >= nanoseconds ||
      duration->tv_sec > 1000000000)
    return nanosleep(duration, rest);
  sleep_for((long long)duration->tv_sec * nanoseconds + duration->tv_nsec);
  return 0;
}

int comm_ranks_usleep(useconds_t duration) {
  if (!is_rank_with_mpi())
    return usleep(duration);
  sleep_for((long long)duration * 1000);
  return 0;
}

unsigned comm_ranks_sleep(unsigned duration) {
  if (!is_rank_with_mpi())
    return sleep(duration);
  sleep_for((long long)duration * nanoseconds);
  return 0;
}
