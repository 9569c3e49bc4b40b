//===- SplitGuard.h - Two parts of a guarded arm -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SPLITGUARD_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SPLITGUARD_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "llvm/ADT/SetVector.h"

namespace comm {

/// One arm of a branch, and where its second part begins.
struct Guard {
  mlir::Operation *branch;
  mlir::Block *join;
  mlir::Value condition;
  bool isTrueArm;
  /// The operation that the second part begins with.
  mlir::Operation *second;
  /// The blocks before the one that it is in.
  llvm::SmallSetVector<mlir::Block *, 16> first;
  /// The block that the arm ends with.
  mlir::Block *end;
  /// How control comes to the join without the arm: by the branch itself, or by the end of the other arm.
  mlir::Operation *skip;
  llvm::SmallVector<mlir::Value> skipOperands;
  /// Where the other arm begins, or the join.
  mlir::Block *other;

  bool hasOtherArm() const { return skip != branch; }

  /// Whether it belongs to the first part.
  bool isFirst(mlir::Operation *op) const {
    mlir::Operation *here = branch->getParentRegion()->findAncestorOpInRegion(*op);
    if (here->getBlock() == second->getBlock())
      return here->isBeforeInBlock(second);
    return first.contains(here->getBlock());
  }
};
/// The chain that begins with that block, or null.
const Chain *findChain(const ScopeTree &tree, mlir::Block *head);

/// A branch one arm of which has a loop and something else, or loads in front of a start; or both arms of which have a
/// loop, of which one comes after the other then.
std::optional<Guard> matchGuard(const ScopeTree &tree, const Unit &unit, bool isTrueArm);

/// `if (c) { first; second } else other` becomes `if (c) first; else other; if (c) second`. What the first part
/// computes and the second one uses is poison where neither runs. The first part may be nothing.
void splitGuard(const Guard &guard);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_SPLITGUARD_H
