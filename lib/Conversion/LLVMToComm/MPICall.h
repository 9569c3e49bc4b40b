//===- MPICall.h - A call of an MPI function in the llvm dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_LLVMTOCOMM_MPICALL_H
#define COMM_LIB_CONVERSION_LLVMTOCOMM_MPICALL_H

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>

namespace comm {

/// A call or invoke of a function that a comm op models.
struct MPICall {
  mlir::Operation *op = nullptr;
  /// The function that is called, e.g. MPI_Isend or MPI_Send_c, and the one that names the op: MPI_Send.
  const mpi::Function *called = nullptr;
  const mpi::Function *blocking = nullptr;

  bool isAsync() const { return called->findParam("request") >= 0 && blocking->findParam("request") < 0; }
  mlir::OperandRange getArguments() const;
};

/// The call if `op` is one of an MPI function; `called` alone is set if it must stay a call.
MPICall matchMPICall(mlir::Operation *op, mlir::SymbolTable &symbols);

/// Fails with an error if the arguments do not have the kinds that the standard's C binding gives them.
llvm::LogicalResult verifySignature(const MPICall &call);

/// What the call says besides callee and arguments (see kCallAttrName); null if nothing.
mlir::DictionaryAttr getCallAttributes(const MPICall &call);

/// The ABI that the calls were compiled for, or null if they do not tell.
const mpi::ABI *detectABI(llvm::ArrayRef<MPICall> calls, mlir::SymbolTable &symbols);

} // namespace comm

#endif // COMM_LIB_CONVERSION_LLVMTOCOMM_MPICALL_H
