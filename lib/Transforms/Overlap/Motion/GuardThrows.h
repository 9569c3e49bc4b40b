//===- GuardThrows.h - Complete communications when an exception passes -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDTHROWS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDTHROWS_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "llvm/ADT/MapVector.h"

namespace comm {

/// Calls that may throw while communications are in flight.
using ThrowingCalls = llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>>;

/// True if calls in the function can be given a landing pad: its exceptions are C++'s.
bool canGuardThrows(mlir::Operation *function);

/// Makes each call one with a landing pad that waits for the given requests and lets the exception go on, so that no
/// buffer dies in flight. Splits blocks.
void guardThrows(const ThrowingCalls &calls);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDTHROWS_H
