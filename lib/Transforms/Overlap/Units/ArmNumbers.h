//===- ArmNumbers.h - Numbers that need no arm of a branch ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimizers compute an address or a size in the arm of a branch that needs it, and pass it on to later code. A message
// whose buffer is such a value depends on everything in the arm, for example a loop, although its number is known
// earlier.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_ARMNUMBERS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_ARMNUMBERS_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/IR/Dominance.h"

namespace comm {

/// Moves cheap addresses and numbers of the blocks before the branch if they can be computed there, in functions
/// of the llvm dialect.
void hoistNumbers(llvm::ArrayRef<mlir::Block *> blocks, mlir::Operation *branch, const mlir::DominanceInfo &dominance);

/// If both arms of a branch pass on values that can be computed before the branch, computes them there and selects one
/// of them. If they differ only in overflow flags, takes one without flags. Returns the number of hoisted values.
unsigned hoistResults(const Unit &unit, const mlir::DominanceInfo &dominance);

/// Hoists what both arms begin with before the branch. LLVM sinks `change = 0` from before the loops that
/// accumulate it into the arms of the first guard, which is then more than a loop. The store of one arm is the first
/// thing that the arm does; the other arm may run loops before it that do not touch the variable. Returns the number of
/// hoisted stores.
unsigned hoistStores(const Unit &unit, mlir::DominanceInfo &dominance);

/// Returns true if the value can be computed before the branch. Adds the operations that have to move, in order:
/// only a few that cost next to nothing.
bool findMoves(mlir::Value value, mlir::Operation *branch, const mlir::DominanceInfo &dominance,
               llvm::SmallVectorImpl<mlir::Operation *> &moves);
/// Moves one of these operations, and drops what is known about it only in the arm.
void moveNumber(mlir::Operation *op, mlir::Operation *branch);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_ARMNUMBERS_H
