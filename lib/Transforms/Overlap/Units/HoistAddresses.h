//===- HoistAddresses.h - What messages need, before those before them -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTADDRESSES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTADDRESSES_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "llvm/ADT/MapVector.h"

namespace comm {

/// A program that keeps its sizes and the pointers to its rows in memory loads them again for each message. What a
/// start is called with is loaded before earlier starts of the chain where no dependence is in the way: what a guard
/// asks has to be known where the wait was (GuardedWaits.h); and before earlier loops, which may compute what is sent:
/// their bounds have to be known there. So is what a branch with starts is computed from.
/// Operations change places, and the chain is stale if any does.
bool hoistAddresses(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options);

/// Sizes and neighbors that an arm with messages loads once more after one of them are loaded before it, at the
/// beginning of the arm, from where they may leave it (hoistOutOfGuards) and be one with what was loaded before the
/// branch (EqualValues.h): what the function has loaded in front of the arm. So is what a later message of the arm is
/// called with. Operations change places, and the chain is stale if this is true.
bool raiseLoadsOfArm(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options);

/// Whether the unit does no more than load numbers and pointers and compute, in a branch or not.
bool onlyLoads(const Unit &unit, MemoryOracle &oracle);

/// Whether the chain is an arm with such loads.
bool repeatsLoads(const Chain &chain);

/// Loads that are executed where the program need not execute them, and whether their types are known to be so there.
using HoistedLoads = llvm::MapVector<mlir::Operation *, bool>;

/// What is loaded between the guard of a loop and the loop (the pointer in a vector, after each call of MPI) is loaded
/// before the guard, where an expression of the loop's bytes may name it; so is what all iterations load. Only what
/// must be there: in a variable, or where the chain has accessed it before, or another member of the same structure.
/// The chain is stale if this is true. Adds the loads to `hoisted`. Structures and loops only if this `isLast` asked:
/// loads of theirs keep types that are known, and look like the program's own.
bool hoistOutOfGuards(const Chain &chain, MemoryOracle &oracle, bool isLast, HoistedLoads &hoisted);

/// What the optimizer knew of these loads (the range of what is found, their types unless these are known) is so where
/// the guard holds, and now they are executed where it does not, too: they lose it, with the number by which it would
/// come back.
void forgetGuards(const HoistedLoads &hoisted);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTADDRESSES_H
