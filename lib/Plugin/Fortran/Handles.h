//===- Handles.h - Handles of Fortran and of C ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_FORTRAN_HANDLES_H
#define COMM_LIB_PLUGIN_FORTRAN_HANDLES_H

#include "Comm/MPI/ABI.h"

#include "llvm/IR/IRBuilder.h"

namespace comm {

/// Converts handles by the functions that MPI has for it (MPI-5.0, 19.3.4).
class FortranHandles {
public:
  FortranHandles(llvm::Module &module, const mpi::ABI &abi) : module(module), abi(abi) {}
  /// The type of a handle of C.
  llvm::Type *getType(mpi::HandleClass handleClass) const;
  /// The handle of C whose number is in Fortran's variable.
  llvm::Value *load(llvm::IRBuilder<> &builder, llvm::Value *variable, mpi::HandleClass handleClass);
  /// The null handle of C.
  llvm::Constant *getNull(mpi::HandleClass handleClass);
  /// The number of a handle of C.
  llvm::Value *getNumber(llvm::IRBuilder<> &builder, llvm::Value *handle, mpi::HandleClass handleClass);
  /// Whether the call makes a handle of C of a number.
  bool isToC(const llvm::CallInst &call, mpi::HandleClass handleClass) const;
  /// What a conversion of a constant, or of a handle that was just converted the other way, gives; null if that is not
  /// known, or the instruction is none.
  llvm::Value *fold(const llvm::Instruction &inst);

private:
  llvm::FunctionCallee getConversion(mpi::HandleClass handleClass, bool toC);
  llvm::Constant *getPredefined(llvm::StringRef name);

  llvm::Module &module;
  const mpi::ABI &abi;
};

/// Whether the module converts handles of Fortran, or of C.
bool convertsHandles(const llvm::Module &module);

} // namespace comm

#endif // COMM_LIB_PLUGIN_FORTRAN_HANDLES_H
