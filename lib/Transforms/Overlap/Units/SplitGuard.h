//===- SplitGuard.h - Split a guarded arm in two ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SPLITGUARD_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SPLITGUARD_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "llvm/ADT/SetVector.h"

namespace comm {

/// One arm of a branch, and the place where its second part begins.
struct Guard {
  mlir::Operation *branch;
  mlir::Block *join;
  mlir::Value condition;
  bool isTrueArm;
  /// The first operation of the second part.
  mlir::Operation *second;
  /// The blocks of the arm before the block of `second`.
  llvm::SmallSetVector<mlir::Block *, 16> first;
  /// The block that ends the arm.
  mlir::Block *end;
  /// The branch by which control reaches the join without the arm: the guard itself, or the end of the other arm.
  mlir::Operation *skip;
  llvm::SmallVector<mlir::Value> skipOperands;
  /// The block where the other arm begins, or the join.
  mlir::Block *other;

  bool hasOtherArm() const { return skip != branch; }

  /// Returns true if the operation belongs to the first part.
  bool isFirst(mlir::Operation *op) const {
    mlir::Operation *here = branch->getParentRegion()->findAncestorOpInRegion(*op);
    if (here->getBlock() == second->getBlock())
      return here->isBeforeInBlock(second);
    return first.contains(here->getBlock());
  }
};
/// Returns the chain that begins with that block, or null.
const Chain *findChain(const ScopeTree &tree, mlir::Block *head);

/// Matches a branch with an arm that contains a loop and something else, or loads before a start. Also matches a
/// branch with a loop in both arms; one of them then follows the other.
std::optional<Guard> matchGuard(const ScopeTree &tree, const Unit &unit, bool isTrueArm);

/// Turns `if (c) { first; second } else other` into `if (c) first; else other; if (c) second`. Values of the first part
/// that the second one uses are poison if neither runs. The first part may be empty. `before` is the dominance before
/// the split.
void splitGuard(const Guard &guard, mlir::DominanceInfo &before);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SPLITGUARD_H
