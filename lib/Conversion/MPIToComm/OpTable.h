//===- OpTable.h - Mapping of mpi ops to comm ops ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The correspondence of the two dialects, used in both directions. It does not contain `mpi.comm_world` and
// `mpi.retval_check`, which become a constant and a comparison.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_MPITOCOMM_OPTABLE_H
#define COMM_LIB_CONVERSION_MPITOCOMM_OPTABLE_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/IR/BuiltinTypes.h"

namespace comm {

/// An operation of the upstream mpi dialect and its counterpart in comm.
struct MPIDialectOp {
  llvm::StringRef name;     // mpi.isend
  llvm::StringRef function; // the blocking function that comm names its op after: MPI_Send
  Mode mode;
  /// The MPI parameter names of the operands, in order.
  llvm::SmallVector<llvm::StringRef, 4> params;
  /// The parameter for the result if it is not the call's return value, or "".
  llvm::StringRef outcome;

  /// Returns the name in comm of a result of the mpi op: `error` if it is the call's return value.
  llvm::StringRef getOutcome(mlir::OpResult result) const;
};

llvm::ArrayRef<MPIDialectOp> getMPIDialectOps();

/// Returns the mpi op that corresponds to this comm op in its mode, or null.
const MPIDialectOp *lookupMPIDialectOp(MPIOpInterface op);

/// Whether MPI has a predefined datatype for the elements and they are contiguous, so that a (buffer, count, datatype)
/// triple without a derived datatype can describe the buffer. Otherwise `reason` gives the problem and a remedy.
bool isMessageBuffer(mlir::MemRefType type, std::string &reason);

} // namespace comm

#endif // COMM_LIB_CONVERSION_MPITOCOMM_OPTABLE_H
