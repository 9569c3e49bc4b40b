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

/// Computes, at the builder's place, how many bytes the operation's count and datatype say: of one block, where a
/// buffer has one for each process, as mpi::ABI::getFormCost counts them. An i64; -1 where it is not known: counts in
/// arrays, what matters at the root alone, MPI_IN_PLACE. 0 to and from MPI_PROC_NULL. `abi` may be null.
mlir::Value computeMessageBytes(mlir::OpBuilder &builder, MPIOpInterface op, const mpi::ABI *abi,
                                RuntimeCalls &runtime);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_INSTRUMENT_MESSAGEBYTES_H
