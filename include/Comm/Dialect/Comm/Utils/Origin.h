//===- Origin.h - Original instruction of an operation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the way through MLIR, a location carries the number of the LLVM instruction that the operation came from, as the
// metadata of a fused location. On the way back, the operation gets what MLIR cannot represent, such as clang's
// guarantees for loaded values (!noundef, !range).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_ORIGIN_H
#define COMM_DIALECT_COMM_UTILS_ORIGIN_H

#include "mlir/IR/Location.h"

namespace comm {

/// Adds the number of the instruction, from 1, to the location.
mlir::Location addOrigin(mlir::Location loc, unsigned number);
/// Returns the number that the location carries, or 0.
unsigned getOrigin(mlir::Location loc);
/// Returns only the source position, for an operation that runs where its instruction may not have run, so that the
/// guarantees of the instruction may not hold.
mlir::Location dropOrigin(mlir::Location loc);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_ORIGIN_H
