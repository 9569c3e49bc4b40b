//===- GuardExits.h - Complete operations on abnormal exits -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEXITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEXITS_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "llvm/ADT/MapVector.h"

namespace comm {

/// Abnormal exits of a function, with the operations that preceded them in the program and now follow them in the code:
/// waits, the ends of memory, and what these are computed from.
struct AbnormalExits {
  using Operations = llvm::SmallVector<mlir::Operation *, 2>;
  /// Calls that may throw and have no landing pad.
  llvm::MapVector<mlir::Operation *, Operations> calls;
  /// Edges that a branch or an exception takes.
  llvm::MapVector<mlir::BlockOperand *, Operations> edges;
};

/// Returns true if calls in the function can get a landing pad, since its exceptions are those of C++.
bool canGuardExits(mlir::Operation *function);

/// Copies the operations to the exits, so that no buffer dies in flight. Calls get landing pads that resume the
/// exception. Splits blocks.
void guardExits(const AbnormalExits &exits);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEXITS_H
