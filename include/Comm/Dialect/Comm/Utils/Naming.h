//===- Naming.h - Names for messages ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_NAMING_H
#define COMM_DIALECT_COMM_UTILS_NAMING_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include <string>

namespace comm {

/// Returns the blocking function's name, for messages: `MPI_Bcast`.
llvm::StringRef getDisplayName(MPIOpInterface op);

/// The position of the operation in the user's source; line 0 if unknown. For inlined code, where it was written.
struct SourcePosition {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  /// If the line is unknown: the function in which the optimizer merged several calls into one (from two branches,
  /// say).
  std::string mergedIn;
};
SourcePosition getSourcePosition(mlir::Location loc);
/// Returns "file.c:12", without the file's folders; without a line, "several lines of FUNCTION (merged calls)"; without
/// debug locations, "an unknown line".
std::string toString(const SourcePosition &position);

/// Returns the enclosing function, by its source name if debug information has it; "" at top level.
llvm::StringRef getFunctionName(mlir::Operation *op);

/// Marks the enclosing function as changed.
void markChanged(mlir::Operation *op);
/// The same for a blocking operation that became start and wait. If all split operations are merged again, the function
/// no longer counts as changed.
void markSplit(mlir::Operation *op);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_NAMING_H
