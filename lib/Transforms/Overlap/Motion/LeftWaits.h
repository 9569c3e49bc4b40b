//===- LeftWaits.h - Waits that left the branch of their start -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// comm-leave-branches gives the request its own slot on the stack, which only one start and one wait use.
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_LEFTWAITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_LEFTWAITS_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

namespace comm {

/// Returns true if the wait follows the branch that contains its start.
inline bool isLeft(mlir::Operation *wait) { return wait->hasAttr(kLeftAttrName); }

/// Returns the slot of that start's or wait's request if the wait left a branch, otherwise null.
mlir::Value getLeftSlot(mlir::Operation *op);

/// Returns the start that a wait completes, if its request is a value or it left a branch. Returns null if the start is
/// unknown.
MPIOpInterface getOnlyStart(WaitOp wait);

/// Clones the start with its request in memory (`slot`) or as a value (null). The original stays.
MPIOpInterface cloneStart(mlir::OpBuilder &builder, MPIOpInterface start, mlir::Value slot);

/// Clones the wait for another request.
WaitOp cloneWait(mlir::OpBuilder &builder, WaitOp wait, mlir::Value request);

/// Clones the wait for the request in a slot, as a wait that left the branch of its start. The slot is null if the
/// start does not run (CommToLLVM).
WaitOp createLeftWait(mlir::OpBuilder &builder, WaitOp wait, mlir::Value slot);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_LEFTWAITS_H
