//===- OpTable.h - Which mpi op is which comm op -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The correspondence of the two dialects, read in both directions. `mpi.comm_world` and `mpi.retval_check` are not in
// it: they become a constant and a comparison.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_MPITOCOMM_OPTABLE_H
#define COMM_LIB_CONVERSION_MPITOCOMM_OPTABLE_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/IR/BuiltinTypes.h"

namespace comm {

/// An operation of the upstream mpi dialect and what it is in comm.
struct MPIDialectOp {
  llvm::StringRef name;     // mpi.isend
  llvm::StringRef function; // the blocking function that comm names its op after: MPI_Send
  Mode mode;
  /// The operands in order, by the names of MPI's parameters.
  llvm::SmallVector<llvm::StringRef, 4> params;
  /// The parameter that the result stands for if it is not the return value of the call, or "".
  llvm::StringRef outcome;

  /// What a result of the mpi op is in comm: `error` if it is the call's return value.
  llvm::StringRef getOutcome(mlir::OpResult result) const;
};

llvm::ArrayRef<MPIDialectOp> getMPIDialectOps();

/// The mpi op that does the same as this comm op in its mode, or null.
const MPIDialectOp *lookupMPIDialectOp(MPIOpInterface op);

/// True if MPI has a predefined datatype for the elements and they lie one after another: what a (buffer, count,
/// datatype) triple without a derived datatype can describe. Otherwise `reason` says what is wrong and what to do.
bool isMessageBuffer(mlir::MemRefType type, std::string &reason);

} // namespace comm

#endif // COMM_LIB_CONVERSION_MPITOCOMM_OPTABLE_H
