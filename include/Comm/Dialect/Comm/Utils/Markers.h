//===- Markers.h - Queries about a program's other files --------*- C++ -*-===//
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

/// Calls a function of the overlap runtime that returns an i32. The result depends on nothing that the program does, as
/// long as the arguments (handles) are valid. Returns true if the result is not 0.
mlir::Value askRuntime(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                       mlir::ValueRange arguments = {});
/// Calls such a function, for a query about numbers that only the runtime reads and writes. Returns its i32.
mlir::Value askRuntimeForNumber(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                                mlir::ValueRange arguments);
/// Likewise, but returns true if the result is not 0.
mlir::Value askRuntimeAlone(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                            mlir::ValueRange arguments);

/// Whether the operation is such a call, or a conversion of a handle of Fortran whose result stays the same as long as
/// the object exists (MPI_Type_f2c).
bool isQuestion(mlir::Operation *op);

/// The location of the bytes of a datatype's element, as the overlap runtime reports it: `count` blocks of `size`
/// bytes, `stride` bytes apart, the first one `begin` bytes from the buffer's address, and the next element `extent`
/// bytes further. `column` is `begin` modulo `stride`. All numbers are of type i64.
struct AskedLayout {
  /// The runtime's handle for the layout.
  mlir::Value layout;
  mlir::Value begin, size, stride, count, extent, column;

  std::array<mlir::Value, 7> getValues() const { return {layout, begin, size, stride, count, extent, column}; }
};
/// Queries the layout. The handle must be valid there, or null.
AskedLayout askLayout(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value handle);
/// Returns the layout that a question on all paths to the operation has queried for the handle.
std::optional<AskedLayout> findAskedLayout(mlir::Value handle, mlir::Operation *op);
/// Returns the layout whose stride is this number.
std::optional<AskedLayout> getLayoutOfStride(mlir::Value number);
/// Returns an i1: whether no byte of an element of one datatype overlaps an element of the other one, where the first
/// byte of the other element is `distance` (i64) bytes after the first byte of the one.
mlir::Value areLayoutsApart(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value layout, mlir::Value other,
                            mlir::Value distance);
/// Whether the number belongs to a layout and is never negative.
bool isAskedLength(mlir::Value number);

/// Returns true at run time if some file of the program has the marker (Comm/MPI/Markers.h).
mlir::Value isMarked(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef marker);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_MARKERS_H
