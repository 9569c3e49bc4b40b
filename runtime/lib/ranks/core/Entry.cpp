// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Entry.h"
#include "core/Rank.h"

namespace comm::ranks {

/// Represents a thread that a rank started, while it calls MPI.
static thread_local Fiber foreign;

Rank *rankOfThread() {
  for (int i = 0; i < process.ranksHere; ++i)
    if (process.ranks[i].fiber.displacement == comm_ranks_displacement)
      return &process.ranks[i];
  return nullptr;
}

static Rank &actingRank() {
  Rank *rank = rankOfThread();
  if (!rank)
    die(nullptr, 1,
        "a thread that no rank started calls MPI: ranks start threads by pthread_create, std::thread or OpenMP, in "
        "code that is built with -fcomm-ranks");
  if (!rank->thread->takesTurns)
    die(rank, 1,
        "a thread that the rank started calls MPI, which needs MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE of "
        "MPI_Init_thread, and one rank for each kernel thread (commrun -nv 1)");
  return *rank;
}

void Entry::enter() {
  entered = true;
  if (thisThread && !thisThread->takesTurns) {
    thisThread->enterRuntime();
    ++thisThread->current->depth;
    return;
  }
  if (foreign.depth) { // called from a callback
    ++foreign.depth;
    return;
  }
  if (!thisThread) {
    Rank &rank = actingRank();
    foreign.foreign = true;
    foreign.rank = &rank;
    foreign.displacement = comm_ranks_displacement;
    foreign.depth = 1;
    rank.thread->takeTurnAs(&foreign);
    return;
  }
  thisThread->takeTurn();
  ++thisThread->current->depth;
}

void Entry::leave() {
  if (!thisThread->takesTurns) {
    // Calls from a callback return to the runtime.
    if (--thisThread->current->depth == 0)
      thisThread->leaveRuntime();
    return;
  }
  if (foreign.depth) {
    if (--foreign.depth == 0)
      foreign.rank->thread->giveTurnAs(&foreign);
    return;
  }
  if (--thisThread->current->depth == 0)
    thisThread->giveTurn();
}

} // namespace comm::ranks
