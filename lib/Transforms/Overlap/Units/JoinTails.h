//===- JoinTails.h - One branch where an optimizer made two ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `for (...) sweep; if (t % 10 == 0) { for (...) residual; }` has two loops with the same guard. Optimizers follow both
// ways of the guard up to the second loop, and ask for t % 10 on each: the first loop is no unit then.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_JOINTAILS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_JOINTAILS_H

#include "Comm/Analysis/Order/ScopeTree.h"

namespace comm {

/// Where both arms of a branch, one with a loop or a wait, end by asking the same, lets them join before that is asked
/// once. `branch` is a terminator of the region of the tree, which is stale where the result is true.
bool joinTails(const ScopeTree &tree, mlir::Operation *branch);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_JOINTAILS_H
