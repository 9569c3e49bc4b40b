//===- MergeTests.h - One question where an optimizer made several -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (right) { wait; for (n) unpack; }
//   if (left) { wait; for (n) unpack; }
//   for (n) stencil;
//
// Where the first loop has run, n > 0 is known, and optimizers ask for `left` once more there, with another way on if
// it does not hold: straight to the stencil. The first branch then has no end before the stencil, and its wait no place
// to go to.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGETESTS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGETESTS_H

#include "mlir/IR/Region.h"

namespace comm {

/// Several branches on one condition, of which no way leads from one to the other, become one, where they lead to the
/// same block if it holds (or if it does not), and otherwise to one block or to the two blocks between which a
/// condition decides that is known at each of them. Whether there were any among `blocks`, of one region.
bool mergeTests(llvm::ArrayRef<mlir::Block *> blocks);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGETESTS_H
