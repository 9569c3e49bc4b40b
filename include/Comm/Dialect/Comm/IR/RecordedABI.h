//===- RecordedABI.h - The MPI implementation of a module ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_RECORDEDABI_H
#define COMM_DIALECT_COMM_IR_RECORDEDABI_H

namespace mlir {
class Operation;
} // namespace mlir

namespace comm {
namespace mpi {
class ABI;
} // namespace mpi

/// The implementation that the module around the operation, or the operation itself, names in `comm.abi`; null if it
/// names none that is known.
const mpi::ABI *getRecordedABI(mlir::Operation *op);

} // namespace comm

#endif // COMM_DIALECT_COMM_IR_RECORDEDABI_H
