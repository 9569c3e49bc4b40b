//===- ArmNumbers.h - Numbers that no arm of a branch need compute -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimizers compute an address or a size in the arm of a branch that needs it, and hand it over to what comes after.
// A message whose buffer is such a value depends on all that is in the arm, a loop for example, though its number is
// known before.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_ARMNUMBERS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_ARMNUMBERS_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/IR/Dominance.h"

namespace comm {

/// Moves addresses and numbers of the blocks that can be computed before the branch to there: cheap ones, of functions
/// of the llvm dialect.
void hoistNumbers(llvm::ArrayRef<mlir::Block *> blocks, mlir::Operation *branch);

/// Where both arms of a unit that branches hand over values that can be computed before the branch, computes them there
/// and chooses between them; where they differ in overflow flags alone, takes one without. Returns how many.
unsigned hoistResults(const Unit &unit, const mlir::DominanceInfo &dominance);

/// Does before the branch what both arms begin with: LLVM moves `change = 0` from in front of the loops that sum it up
/// into the arms of the first guard, which is then no loop alone. The store of one arm is the first thing that it does;
/// the other arm may run loops before it, which do not touch the variable. Returns how many were hoisted.
unsigned hoistStores(const Unit &unit, mlir::DominanceInfo &dominance);

/// Whether the value can be computed in front of the branch; adds the operations that have to move, in their order:
/// few, which cost next to nothing.
bool findMoves(mlir::Value value, mlir::Operation *branch, const mlir::DominanceInfo &dominance,
               llvm::SmallVectorImpl<mlir::Operation *> &moves);
/// Moves one of these. What only the branch knows of it is forgotten.
void moveNumber(mlir::Operation *op, mlir::Operation *branch);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_ARMNUMBERS_H
