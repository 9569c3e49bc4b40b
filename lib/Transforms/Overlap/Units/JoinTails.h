//===- JoinTails.h - Merge a branch that was duplicated ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `for (...) sweep; if (t % 10 == 0) { for (...) residual; }` has two loops with the same guard. Optimizers duplicate
// the path from the guard to the second loop, with a test of t % 10 on each copy. Then the first loop is not a unit.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_JOINTAILS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_JOINTAILS_H

#include "Comm/Analysis/Order/ScopeTree.h"

namespace comm {

/// If both arms of a branch, one of them with a loop or a wait, end with the same test, makes them join before a single
/// test. `branch` is a terminator of the region of the tree. Returns true if it has changed anything, which makes the
/// tree stale.
bool joinTails(const ScopeTree &tree, mlir::Operation *branch);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_JOINTAILS_H
