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
  /// The called function, such as MPI_Isend or MPI_Send_c, and the one that names the op: MPI_Send.
  const mpi::Function *called = nullptr;
  const mpi::Function *blocking = nullptr;

  bool isAsync() const { return called->findParam("request") >= 0 && blocking->findParam("request") < 0; }
  mlir::OperandRange getArguments() const;
};

/// Returns the call if `op` calls an MPI function. Only `called` is set if it must stay a call.
MPICall matchMPICall(mlir::Operation *op, mlir::SymbolTable &symbols);

/// Reports an error if the arguments do not match the standard's C binding.
llvm::LogicalResult verifySignature(const MPICall &call);

/// Returns what the call specifies besides callee and arguments (see kCallAttrName), or null.
mlir::DictionaryAttr getCallAttributes(const MPICall &call);

/// Returns the ABI that the calls were compiled for, or null if it cannot be inferred.
const mpi::ABI *detectABI(llvm::ArrayRef<MPICall> calls, mlir::SymbolTable &symbols);

} // namespace comm

#endif // COMM_LIB_CONVERSION_LLVMTOCOMM_MPICALL_H
