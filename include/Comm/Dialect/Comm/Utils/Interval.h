//===- Interval.h - A start and its wait ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_INTERVAL_H
#define COMM_DIALECT_COMM_UTILS_INTERVAL_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"

#include <optional>

namespace comm {

/// An async operation with a single wait for its request, in the same function. The request has no other uses except
/// waits on exception paths, which have the attribute `comm.cleanup`, and one conditional wait before the wait.
struct Interval {
  MPIOpInterface start;
  WaitOp wait;
  llvm::SmallVector<WaitOp, 1> cleanups;
  /// Null if there is none.
  WaitIfOp guard;
};

/// Returns the interval that the operation starts, if any.
std::optional<Interval> getInterval(mlir::Operation *op);

/// Whether it waits only under a condition, before another wait for the same requests.
bool isConditionalWait(mlir::Operation *op);

/// Whether the program itself may have started it with a nonblocking function. It has not if a pass made the start from
/// a blocking operation. That cannot be told if the wait has left a branch, since the request is then in memory, too.
bool mayBeProgramsStart(MPIOpInterface start);

/// Erases the recalled starts in `root` (kRecalledAttrName), which are not executed. Returns their number.
unsigned eraseRecalled(mlir::Operation *root);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_INTERVAL_H
