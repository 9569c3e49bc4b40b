//===- HoistAddresses.h - Load what messages need earlier -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTADDRESSES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTADDRESSES_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

namespace comm {

/// Moves loads of a start's operands before earlier starts of the chain if no dependence prevents it, because a
/// guard can only ask about values that are known at the place of the wait (GuardedWaits.h). Programs that keep sizes
/// and pointers to rows in memory load them again for each message. Also moves these loads before earlier loops,
/// which may compute what is sent: their bounds have to be known there. Does the same for the inputs of a branch with
/// starts, and moves those of a loop whose value is used (a norm) before waits. Returns true if operations were
/// moved, which makes the chain stale.
bool hoistAddresses(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options);

/// Moves loads of sizes and neighbors that an arm repeats after a message to the beginning of the arm. From there they
/// may leave the arm (hoistOutOfGuards) and be merged with loads before the branch (EqualValues.h). Applies to what the
/// function has loaded before the arm, and to operands of later messages of the arm. Returns true if operations
/// were moved, which makes the chain stale.
bool raiseLoadsOfArm(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options,
                     mlir::DominanceInfo &dominance);

/// Returns true if the code after the unit uses a value that it computes.
bool givesValue(const Unit &unit);

/// Returns true if the unit only loads numbers and pointers and computes, in a branch or not.
bool onlyLoads(const Unit &unit, MemoryOracle &oracle);

/// Returns true if the chain is an arm with such loads.
bool repeatsLoads(const Chain &chain, mlir::DominanceInfo &dominance);

/// Loads that are executed where the program need not execute them, and whether their types are known to be valid
/// there.
using HoistedLoads = llvm::MapVector<mlir::Operation *, bool>;

/// Moves loads between the guard of a loop and the loop (the pointer in a vector, after each MPI call) before the
/// guard, where an expression for the loop's bytes can refer to them, and likewise loads that all iterations repeat.
/// The memory must be valid there: a variable, or something that the chain has accessed before, or another member of
/// the same structure. Returns true if the chain is stale. Adds the loads to `hoisted`. Structures and loops are
/// considered only if `isLast`, since their loads keep known types and look like the program's own.
bool hoistOutOfGuards(const Chain &chain, MemoryOracle &oracle, bool isLast, mlir::DominanceInfo &dominance,
                      HoistedLoads &hoisted);

/// Drops what the optimizer knew about these loads (the range of their values, and their types unless these are known)
/// because it holds only where the guard does, and the loads are now executed elsewhere, too. Also drops the number by
/// which it would be restored.
void forgetGuards(const HoistedLoads &hoisted);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTADDRESSES_H
