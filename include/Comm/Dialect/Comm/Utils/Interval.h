//===- Interval.h - A start and its wait ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_INTERVAL_H
#define COMM_DIALECT_COMM_UTILS_INTERVAL_H

#include "Comm/Dialect/Comm/IR/Comm.h"

#include <optional>
#include <string>

namespace comm {

/// An async operation whose request one wait in the same function completes. Nothing else uses the request but
/// waits on the paths of exceptions, which have the attribute `comm.cleanup`, and one before the wait under a condition.
struct Interval {
  MPIOpInterface start;
  WaitOp wait;
  llvm::SmallVector<WaitOp, 1> cleanups;
  /// Null if there is none.
  WaitIfOp guard;
};

/// A string attribute of a start: the function that the program calls, where that is not the operation's own blocking
/// one.
inline constexpr llvm::StringLiteral kOriginAttrName = "comm.from";
/// A unit attribute of a start whose interval is the program's own, and may be longer than from one to the next
/// operation.
inline constexpr llvm::StringLiteral kProgramsIntervalAttrName = "comm.programs_interval";

/// The interval that the operation starts, if it is such a start.
std::optional<Interval> getInterval(mlir::Operation *op);

/// `MPI_Bcast`: the blocking function's name, for people.
llvm::StringRef getDisplayName(MPIOpInterface op);

/// Where the operation is in the user's source; line 0 if that is not known. Of inlined code, where it was written.
struct SourcePosition {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};
SourcePosition getSourcePosition(mlir::Location loc);
/// "file.c:12", with the file's folders left out; "an unknown line" without debug locations.
std::string toString(const SourcePosition &position);

/// The function around it, as the source spells it where debug information tells, and "" at top level.
llvm::StringRef getFunctionName(mlir::Operation *op);

/// Marks the function around the operation as changed.
void markChanged(mlir::Operation *op);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_INTERVAL_H
