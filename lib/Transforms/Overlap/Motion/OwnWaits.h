//===- OwnWaits.h - Waits for requests in memory -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that keeps its requests in an array waits for all of them in one call or in a loop. That call, or the whole
// loop, is a unit that may move down; the units with its starts may move up.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_OWNWAITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_OWNWAITS_H

#include "Motion/Schedule.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include <string>

namespace comm {

/// A unit of a chain that completes requests in memory and starts nothing.
struct OwnWait {
  unsigned unit;
  /// The earlier units of the chain that start what it completes.
  llvm::SmallVector<unsigned, 2> startUnits;
  /// A wait in the unit, and the starts that all waits in it complete.
  mlir::Operation *wait = nullptr;
  llvm::SmallVector<mlir::Operation *, 4> starts;
};

/// Returns the waits of a chain whose starts are known (kFollowedAttrName), in order.
std::vector<OwnWait> findOwnWaits(const Chain &chain, MemoryOracle &oracle);

/// Adds pairs for the waits of units [begin, end) to a scheduling problem of these units.
void addPairs(llvm::ArrayRef<OwnWait> waits, unsigned begin, unsigned end, ScheduleProblem &problem);

/// Returns text such as "MPI_Waitall at heat.c:12, which completes MPI_Irecv at heat.c:8 and 2 other starts,".
std::string describe(const OwnWait &wait);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_OWNWAITS_H
