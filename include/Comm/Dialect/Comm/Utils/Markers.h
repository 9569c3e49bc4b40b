//===- Markers.h - Asking the other files of a program ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_MARKERS_H
#define COMM_DIALECT_COMM_UTILS_MARKERS_H

#include "mlir/IR/Builders.h"

#include <array>
#include <optional>

namespace comm {

/// Calls a function of the overlap runtime whose answer, an i32, depends on nothing that the program does as long as
/// its arguments (handles) are valid. True if that is not 0.
mlir::Value askRuntime(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                       mlir::ValueRange arguments = {});

/// Whether the operation is such a call.
bool isQuestion(mlir::Operation *op);

/// Where the bytes of an element of a datatype are, as the overlap runtime answers: `count` blocks of `size` bytes,
/// `stride` bytes apart, the first one `begin` bytes from the buffer's address, the next element `extent` bytes
/// further. `column` is `begin` modulo `stride`. Numbers of type i64.
struct AskedLayout {
  /// What the runtime knows it by.
  mlir::Value layout;
  mlir::Value begin, size, stride, count, extent, column;

  std::array<mlir::Value, 7> getValues() const { return {layout, begin, size, stride, count, extent, column}; }
};
/// Asks for them; the handle is valid there, or null.
AskedLayout askLayout(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value handle);
/// What an operation of the same block in front of that one has asked of the handle.
std::optional<AskedLayout> findAskedLayout(mlir::Value handle, mlir::Operation *op);
/// The layout that the number is the stride of.
std::optional<AskedLayout> getLayoutOfStride(mlir::Value number);
/// Whether no byte of an element of one datatype is one of another element, of which the first byte is `distance` (i64)
/// bytes after the first one of that; an i1.
mlir::Value areLayoutsApart(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value layout, mlir::Value other,
                            mlir::Value distance);
/// Whether the number is one of a layout that is never negative.
bool isAskedLength(mlir::Value number);

/// True, at run time, if some file of the program has the marker (Comm/MPI/Markers.h).
mlir::Value isMarked(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef marker);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_MARKERS_H
