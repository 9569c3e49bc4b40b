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

/// Bytes seen from the address of a buffer, as in a Piece, and the distance to the next element. The sign of a stride
/// may not be known.
struct TypeLayout {
  Expr begin, size;
  llvm::SmallVector<Level, 2> levels;
  Expr extent;
};

/// The bytes of an access: count times datatype. Datatypes are taken apart where one call of the function makes them
/// (MPI_Type_contiguous, _vector, _create_hvector, _create_subarray with lists on the stack). The size is unknown where
/// the bytes are not known. `translate` gives the values of numbers. `op` is the operation that has the buffer: what
/// has been asked about a datatype in front of it says of other datatypes where their bytes are.
TypeLayout getLayout(mlir::Operation *op, const BufferAccess &access, llvm::function_ref<Expr(mlir::Value)> translate);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_DATATYPELAYOUT_H
