// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check/Diagnostics.h"

#include <stdio.h>
#include <unistd.h>

using namespace comm::runtime;

static int worldRank() {
  int initialized = 0, finalized = 0, rank = -1;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (initialized && !finalized)
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static const char *bufferKind(const Buffer &buffer) {
  return buffer.access == Access::Read ? "send buffer" : "receive buffer";
}

/// Returns "MPI_Isend at a.c:12, in function f", stored in the caller's buffer.
static const char *describe(const comm_check_site *site, char (&text)[1024]) {
  snprintf(text, sizeof(text), "%s at %s:%u, in function %s", orEmpty(site->mpi_call), orEmpty(site->file), site->line,
           orEmpty(site->function));
  return text;
}

void comm::runtime::reportChanged(const Buffer &buffer, int64_t first, int64_t last) {
  char where[1024];
  fprintf(stderr,
          "comm: error: rank %d: the program wrote to memory in flight: send "
          "buffer of %s: bytes %lld to %lld from its %s differ at the wait "
          "from what they were at the start\n",
          worldRank(), describe(buffer.site, where), static_cast<long long>(first), static_cast<long long>(last),
          buffer.base ? "begin" : "base MPI_BOTTOM");
}

void comm::runtime::reportGone(const Buffer &buffer, const char *how) {
  char where[1024];
  fprintf(stderr,
          "comm: error: rank %d: memory in flight %s before the wait: %s of "
          "%s\n",
          worldRank(), how, bufferKind(buffer), describe(buffer.site, where));
}

void comm::runtime::reportOverlap(const Buffer &started, const Buffer &inFlight) {
  char where[1024], other[1024];
  fprintf(stderr,
          "comm: error: rank %d: %s of %s overlaps memory in flight: %s of "
          "%s\n",
          worldRank(), bufferKind(started), describe(started.site, where), bufferKind(inFlight),
          describe(inFlight.site, other));
}

void comm::runtime::reportUnaddressable(const Buffer &buffer) {
  char where[1024];
  fprintf(stderr,
          "comm: error: rank %d: send buffer of %s holds memory that was "
          "freed or is not part of an object: its count or datatype is too "
          "large for its allocation, or it begins at a wrong address\n",
          worldRank(), describe(buffer.site, where));
}

void comm::runtime::explainInFlight(const Buffer &buffer, uintptr_t address) {
  char where[1024];
  fprintf(stderr, "comm: this memory is in flight: %s of %s (byte %lld from its %s)\n", bufferKind(buffer),
          describe(buffer.site, where), static_cast<long long>(address - buffer.base),
          buffer.base ? "begin" : "base MPI_BOTTOM");
}

static uint32_t illegalAccesses;

static void printCount() {
  fprintf(stderr, "comm: %u illegal access%s to memory in flight\n", illegalAccesses, illegalAccesses == 1 ? "" : "es");
}

void comm::runtime::failOrContinue() {
  if (isEnabled("COMM_CHECK_CONTINUE")) {
    if (__atomic_fetch_add(&illegalAccesses, 1, __ATOMIC_RELAXED) == 0)
      atexit(printCount);
    return;
  }
  fflush(nullptr);
  // Launchers drop unread output when they learn of an abort.
  usleep(100000);
  // End the other ranks too, which may wait for this one.
  PMPI_Abort(MPI_COMM_WORLD, COMM_CHECK_EXIT_CODE);
  _exit(COMM_CHECK_EXIT_CODE);
}

void comm::runtime::noteUnchecked(const comm_check_site *site, const char *reason) {
  if (!isEnabled("COMM_CHECK_VERBOSE"))
    return;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static const char *noted[8];
  {
    Locked lock(mutex);
    for (const char *&known : noted) {
      if (known == reason)
        return;
      if (!known) {
        known = reason;
        break;
      }
    }
  }
  char where[1024];
  fprintf(stderr, "comm: note: rank %d: not checked: %s: %s\n", worldRank(), describe(site, where), reason);
}
