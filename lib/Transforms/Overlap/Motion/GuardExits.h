//===- GuardExits.h - What is done on ways out that do not return -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEXITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEXITS_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "llvm/ADT/MapVector.h"

namespace comm {

/// Ways out of a function by which it does not return, and what comes after them in its code and before them in the
/// program: waits, the end of memory, and what these are computed from.
struct AbnormalExits {
  using Operations = llvm::SmallVector<mlir::Operation *, 2>;
  /// Calls that may throw, and have no landing pad.
  llvm::MapVector<mlir::Operation *, Operations> calls;
  /// Edges that a branch takes, or an exception.
  llvm::MapVector<mlir::BlockOperand *, Operations> edges;
};

/// True if calls in the function can be given a landing pad: its exceptions are C++'s.
bool canGuardExits(mlir::Operation *function);

/// Copies the operations to the ways out, so that no buffer dies in flight. Calls get landing pads that let the
/// exception go on. Splits blocks.
void guardExits(const AbnormalExits &exits);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEXITS_H
