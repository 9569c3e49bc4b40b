//===- Markers.h - Asking the other files of a program ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_MARKERS_H
#define COMM_DIALECT_COMM_UTILS_MARKERS_H

#include "mlir/IR/Builders.h"

namespace comm {

/// Calls a function of the overlap runtime whose answer, an i32, depends on nothing that the program does as long as
/// its arguments (handles) are valid. True if that is not 0.
mlir::Value askRuntime(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                       mlir::ValueRange arguments = {});

/// Whether the operation is such a call.
bool isQuestion(mlir::Operation *op);

/// True, at run time, if some file of the program has the marker (Comm/MPI/Markers.h).
mlir::Value isMarked(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef marker);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_MARKERS_H
