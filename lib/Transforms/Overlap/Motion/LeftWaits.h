//===- LeftWaits.h - Waits that left the branch of their start -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// comm-leave-branches gives the request a slot of its own on the stack, which one start and one wait have.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_LEFTWAITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_LEFTWAITS_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

namespace comm {

/// Whether the wait comes after the branch that its start is in.
inline bool isLeft(mlir::Operation *wait) { return wait->hasAttr(kLeftAttrName); }

/// Where the request of that start or wait is, if its wait left a branch; else null.
mlir::Value getLeftSlot(mlir::Operation *op);

/// The start that a wait completes: of a request that is a value, or of one that a wait left a branch with. Null if
/// that is not known.
MPIOpInterface getOnlyStart(WaitOp wait);

/// The same start with the request in memory there (`slot`) or as a value (null). The old one stays.
MPIOpInterface cloneStart(mlir::OpBuilder &builder, MPIOpInterface start, mlir::Value slot);

/// The same wait of another request.
WaitOp cloneWait(mlir::OpBuilder &builder, WaitOp wait, mlir::Value request);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_LEFTWAITS_H
