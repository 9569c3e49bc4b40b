//===- CopyTails.h - Loops after a branch with a wait, in its arm ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `if (size > 1) { start; wait; unpack; } else wrap; for (...) sweep;` has its wait in a branch, which what comes after
// the wait keeps there, and the loop that the messages could overlap after the branch. Each way gets a loop of its own.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_COPYTAILS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_COPYTAILS_H

#include "mlir/IR/Region.h"

namespace comm {

/// Copies what comes after a branch, up to the last loop before the next communication, to the end of an arm that
/// starts messages and waits for them. Returns true if it has copied anything.
bool copyTails(mlir::Region &region);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_COPYTAILS_H
