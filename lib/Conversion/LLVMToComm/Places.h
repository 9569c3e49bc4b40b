//===- Places.h - Where a process is among others ----------------*- C++ -*-===//
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

/// Marks loads of what operations of MPI write: the rank of the process, and its coordinates in a grid. Who chooses
/// numbers to try something with takes the first process then.
void markPlaces(mlir::ModuleOp module);

} // namespace comm

#endif // COMM_LIB_CONVERSION_LLVMTOCOMM_PLACES_H
