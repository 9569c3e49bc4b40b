//===- Schedule.h - The order that widens overlap intervals --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SCHEDULE_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace comm {

/// The dependences of n units, numbered in program order, and the properties of each unit.
struct ScheduleProblem {
  struct UnitInfo {
    /// Approximate amount of work; 0 if the unit costs next to nothing.
    unsigned weight = 0;
    /// The unit stays at the front: an alloca of the entry block.
    bool isPinned = false;
    /// The unit can be executed anywhere: an address computation. It neither stops a move nor counts as one.
    bool isFree = false;
  };
  struct Pair {
    unsigned start;
    unsigned wait;
    /// The interval is not worthwhile: the wait follows the start.
    bool isGivenUp = false;
    /// The program itself has this start and this wait. The pair is never given up, since other processes may wait for
    /// what is between the two.
    bool isProgramsOwn = false;
    /// A unit that waits under a condition, earlier than the wait itself; -1 if there is none. It goes as late as the
    /// wait, which follows it.
    int guard = -1;
    /// The other start of the same MPI_Sendrecv, in flight at the same time anyway; -1 if there is none.
    int partner = -1;
    /// The start precedes all units: only the wait moves.
    bool startsBefore = false;
    /// Start and wait are units whose requests are in memory.
    bool isInMemory = false;
    /// The wait completes only sends.
    bool isSend = false;
  };
  std::vector<UnitInfo> units;
  std::vector<Pair> pairs;
  /// predecessors[v] contains u if u must precede v; u < v.
  std::vector<llvm::BitVector> predecessors;
};

using Order = llvm::SmallVector<unsigned>;

/// Moves each start up and each wait down to the nearest dependence. Free units that a start needs move along.
Order scheduleBasic(const ScheduleProblem &problem);

/// Returns a topological order in which starts and what they need come early, waits and what needs them late, and
/// everything else in between in its original order: the longest intervals that the dependences allow, with priority
/// for earlier pairs.
Order scheduleExtended(const ScheduleProblem &problem);

/// Lets messages that cannot be in flight together share the work that either could hide. In `start, wait, start, wait`
/// where the second start needs the first wait, `order` has all work in the first interval and leaves none to the
/// second message. Work that follows the second start in the program then stays after it if both keep work worth
/// hiding. With two equal latencies, that is never slower: max(L, a) + max(L, b) <= max(L, a + b) + L. `isAsGood` tells
/// whether an order loses nothing else.
Order shareWork(const ScheduleProblem &problem, Order order,
                llvm::function_ref<bool(llvm::ArrayRef<unsigned>)> isAsGood);

/// Returns the weight of the units between the pair's start and its wait in that order.
unsigned getIntervalWeight(const ScheduleProblem &problem, llvm::ArrayRef<unsigned> order,
                           const ScheduleProblem::Pair &pair);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SCHEDULE_H
