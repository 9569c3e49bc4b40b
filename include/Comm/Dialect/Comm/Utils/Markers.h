//===- Markers.h - Asking the other files of a program ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_MARKERS_H
#define COMM_DIALECT_COMM_UTILS_MARKERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// Calls a function without parameters of the overlap runtime whose answer, an i32, depends on nothing that the program
/// does. True if that is not 0.
mlir::Value askRuntime(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name);

/// True, at run time, if some file of the program has the marker (Comm/MPI/Markers.h).
mlir::Value isMarked(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef marker);

/// Asks, before loops that can run in two parts, how they run this time. The site is a number of its own for each place
/// of the program, the count (i64) how often the outermost loop runs. Returns a token (i64, runtime/lib/overlap/Trial.c)
/// whose lowest bit says that they run as they were written.
mlir::Value askSplit(mlir::OpBuilder &builder, mlir::Location loc, uint64_t site, mlir::Value count);
/// Tells that these loops have run. Neither call keeps its order with anything but by the token, until
/// `tellSplitEffects` gives optimizers that come after all motion their effects.
void endSplit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value token);
void tellSplitEffects(mlir::ModuleOp module);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_MARKERS_H
