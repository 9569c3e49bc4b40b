//===- Places.h - Position of a process among others ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_LLVMTOCOMM_PLACES_H
#define COMM_LIB_CONVERSION_LLVMTOCOMM_PLACES_H

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace comm {

/// Marks loads of the process's rank, or of its coordinates in a grid, written by MPI operations. TypicalNumbers then
/// assumes the first process.
void markPlaces(mlir::ModuleOp module);

} // namespace comm

#endif // COMM_LIB_CONVERSION_LLVMTOCOMM_PLACES_H
