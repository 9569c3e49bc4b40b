//===- FrameSlots.h - Memory in the frame of a function ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_FRAMESLOTS_H
#define COMM_DIALECT_COMM_UTILS_FRAMESLOTS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Region.h"

namespace comm {

/// Allocates memory for `count` values of the type at the start of the body's entry block, so that it is in the frame
/// of the function and no loop allocates it again. Returns its address.
mlir::Value createFrameSlot(mlir::Region &body, mlir::Location loc, mlir::Type type, int64_t count = 1);

/// The same in the function that contains the operation, or in the operation's region if no function does.
mlir::Value createFrameSlot(mlir::Operation *op, mlir::Location loc, mlir::Type type, int64_t count = 1);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_FRAMESLOTS_H
