//===- CopyTails.h - Copy loops after a branch into its arm -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In `if (size > 1) { start; wait; unpack; } else wrap; for (...) sweep;` the code after the wait keeps the wait in the
// branch, while the loop that the messages could overlap is after the branch. Each arm gets a copy of the loop.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_COPYTAILS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_COPYTAILS_H

#include "mlir/IR/Region.h"

namespace comm {

/// Copies the code after a branch, up to the last loop before the next communication, to the end of an arm that starts
/// messages and waits for them. Returns true if it has copied anything.
bool copyTails(mlir::Region &region);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_COPYTAILS_H
