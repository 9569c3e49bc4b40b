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

/// An async operation whose request one wait in the same function completes. Nothing else uses the request but
/// waits on the paths of exceptions, which have the attribute `comm.cleanup`, and one before the wait under a
/// condition.
struct Interval {
  MPIOpInterface start;
  WaitOp wait;
  llvm::SmallVector<WaitOp, 1> cleanups;
  /// Null if there is none.
  WaitIfOp guard;
};

/// The interval that the operation starts, if it is such a start.
std::optional<Interval> getInterval(mlir::Operation *op);

/// Whether it waits under a condition alone, before another wait for the same requests.
bool isConditionalWait(mlir::Operation *op);

/// Whether the program itself may have started it, by a nonblocking function. Of starts that passes make of blocking
/// operations it is known that it has not, unless their waits have left a branch: their requests are in memory, too.
bool mayBeProgramsStart(MPIOpInterface start);

/// Erases the starts in there that are said again (kRecalledAttrName): they are not executed. Returns how many there
/// were.
unsigned eraseRecalled(mlir::Operation *root);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_INTERVAL_H
