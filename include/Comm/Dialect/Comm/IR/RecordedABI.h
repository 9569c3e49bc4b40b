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

/// Returns the implementation that the operation, or the module around it, names in `comm.abi`; null if there is none
/// or it is unknown.
const mpi::ABI *getRecordedABI(mlir::Operation *op);

} // namespace comm

#endif // COMM_DIALECT_COMM_IR_RECORDEDABI_H
