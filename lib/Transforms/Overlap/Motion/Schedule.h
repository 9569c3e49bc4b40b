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

/// The dependences of n units, and what is to be known of each. Units are numbered in program order.
struct ScheduleProblem {
  struct UnitInfo {
    /// About how much work it is: 0 for what costs next to nothing.
    unsigned weight = 0;
    /// It stays at the front: an alloca of the entry block.
    bool isPinned = false;
    /// Executable anywhere: an address computation. It neither stops a move nor counts as one.
    bool isFree = false;
  };
  struct Pair {
    unsigned start;
    unsigned wait;
    /// Its interval is not worth having: the wait follows the start.
    bool isGivenUp = false;
    /// The program itself made it a start and a wait. It is never given up: what is between them may be what others
    /// wait for.
    bool isProgramsOwn = false;
    /// A unit that waits, under a condition, where the wait itself need not be; -1 if there is none. It goes as late as
    /// the wait, which comes after it.
    int guard = -1;
    /// The other start of one MPI_Sendrecv, which is under way at the same time anyway; -1 if there is none.
    int partner = -1;
    /// The start is before all units: only the wait moves.
    bool startsBefore = false;
    /// The start and the wait are units with those of requests in memory.
    bool isInMemory = false;
    /// All that the wait completes was sent.
    bool isSend = false;
  };
  std::vector<UnitInfo> units;
  std::vector<Pair> pairs;
  /// predecessors[v] has u: u must come before v. Only u < v.
  std::vector<llvm::BitVector> predecessors;
};

using Order = llvm::SmallVector<unsigned>;

/// Moves each start up and each wait down to the nearest dependence. What is free and a start needs moves along.
Order scheduleBasic(const ScheduleProblem &problem);

/// A topological order in which starts and what they need come early, waits and what needs them late, and everything
/// else in between in its original order: the longest intervals that the dependences allow, first pairs first.
Order scheduleExtended(const ScheduleProblem &problem);

/// Lets messages that cannot be under way together share the work that either could hide. In `start, wait, start, wait`
/// of which the second start needs the first wait, `order` has all work in the first interval: the second message would
/// have none. What comes after the second start in the program stays after it, then, if both keep work worth hiding.
/// With two equal latencies that is never later: max(L, a) + max(L, b) <= max(L, a + b) + L. `isAsGood` says whether an
/// order loses nothing else.
Order shareWork(const ScheduleProblem &problem, Order order,
                llvm::function_ref<bool(llvm::ArrayRef<unsigned>)> isAsGood);

/// The weight of the units between the pair's start and its wait in that order.
unsigned getIntervalWeight(const ScheduleProblem &problem, llvm::ArrayRef<unsigned> order,
                           const ScheduleProblem::Pair &pair);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_SCHEDULE_H
