//===- MergeTests.h - Merge a test that was duplicated ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (right) { wait; for (n) unpack; }
//   if (left) { wait; for (n) unpack; }
//   for (n) stencil;
//
// If the first loop has run, n > 0 is known, and optimizers test `left` again there, with another successor if it is
// false: the stencil itself. The first branch then has no end before the stencil, and its wait has nowhere to go.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGETESTS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGETESTS_H

#include "mlir/IR/Region.h"

namespace comm {

/// Merges several branches on one condition that cannot reach each other. They must have a common successor if the
/// condition holds (or if it does not). Their other successor must be a common block, or one of two blocks between
/// which a condition decides that is known at each branch. Returns true if there were such branches among `blocks`,
/// which are of one region.
bool mergeTests(llvm::ArrayRef<mlir::Block *> blocks);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGETESTS_H
