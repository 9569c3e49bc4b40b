//===- Origin.h - The instruction that an operation was ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the way through MLIR a location carries the number of the LLVM instruction that the operation was, as the metadata
// of a fused location. On the way back the operation gets what MLIR has no place for, such as what clang promises of a
// value that it loads (!noundef, !range).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_ORIGIN_H
#define COMM_DIALECT_COMM_UTILS_ORIGIN_H

#include "mlir/IR/Location.h"

namespace comm {

/// The location with the number of its instruction, from 1.
mlir::Location addOrigin(mlir::Location loc, unsigned number);
/// The number that a location carries, or 0.
unsigned getOrigin(mlir::Location loc);
/// The source position alone: for an operation that runs where its instruction may not have run, so that what was
/// promised of the instruction need not hold.
mlir::Location dropOrigin(mlir::Location loc);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_ORIGIN_H
