//===- DatatypeLayout.h - Bytes of a message --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_DATATYPELAYOUT_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_DATATYPELAYOUT_H

#include "Comm/Analysis/Footprints/Footprint.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

namespace comm {

/// The bytes of a message relative to the address of the buffer, as in a Piece, and the distance to the next element.
/// The sign of a stride may be unknown.
struct TypeLayout {
  Expr begin, size;
  llvm::SmallVector<Level, 2> levels;
  Expr extent;
};

/// Returns the bytes of an access: count times datatype. Analyzes datatypes that one call in this function makes
/// (MPI_Type_contiguous, _vector, _create_hvector, _create_subarray with lists on the stack). For other datatypes, uses
/// the layout that is queried before `op`, the operation with the buffer. The size is unknown if the bytes are.
/// `translate` returns the values of numbers.
TypeLayout getLayout(mlir::Operation *op, const BufferAccess &access, llvm::function_ref<Expr(mlir::Value)> translate);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_DATATYPELAYOUT_H
