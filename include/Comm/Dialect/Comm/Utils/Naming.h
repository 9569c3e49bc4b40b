//===- Naming.h - What people call an operation ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_NAMING_H
#define COMM_DIALECT_COMM_UTILS_NAMING_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"

#include <string>

namespace comm {

/// `MPI_Bcast`: the blocking function's name, for people.
llvm::StringRef getDisplayName(MPIOpInterface op);

/// Where the operation is in the user's source; line 0 if that is not known. Of inlined code, where it was written.
struct SourcePosition {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  /// Where the line is not known: the function whose calls the optimizer merged into one (of two branches, say).
  std::string mergedIn;
};
SourcePosition getSourcePosition(mlir::Location loc);
/// What a location without a line is fused with (FusedLoc) to have `mergedIn`.
mlir::LLVM::DISubprogramAttr nameSubprogram(mlir::MLIRContext *context, llvm::StringRef name);
/// "file.c:12", with the file's folders left out; without a line "several lines of FUNCTION (merged calls)", or "an
/// unknown line" without debug locations.
std::string toString(const SourcePosition &position);

/// The function around it, as the source spells it where debug information tells, and "" at top level.
llvm::StringRef getFunctionName(mlir::Operation *op);

/// Marks the function around the operation as changed.
void markChanged(mlir::Operation *op);
/// The same for a blocking operation that became start and wait: the function is no longer changed where all that was
/// split is merged again.
void markSplit(mlir::Operation *op);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_NAMING_H
