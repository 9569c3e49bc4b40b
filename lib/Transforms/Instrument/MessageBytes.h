//===- MessageBytes.h - How long a message is ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_INSTRUMENT_MESSAGEBYTES_H
#define COMM_LIB_TRANSFORMS_INSTRUMENT_MESSAGEBYTES_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/MPI/ABI.h"
#include "Comm/Transforms/Utils/RuntimeCalls.h"

#include "mlir/IR/Builders.h"

namespace comm {

/// Computes the size of the operation's message in bytes, as an i64 at the builder's position. If a buffer has a block
/// for each process, this is the size of one block, as in mpi::ABI::getFormCost. Returns -1 if unknown: counts in
/// arrays, arguments that are significant only at the root, MPI_IN_PLACE. Returns 0 for MPI_PROC_NULL. `abi` may be
/// null.
mlir::Value computeMessageBytes(mlir::OpBuilder &builder, MPIOpInterface op, const mpi::ABI *abi,
                                RuntimeCalls &runtime);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_INSTRUMENT_MESSAGEBYTES_H
