//===- Handles.h - Fortran and C handles ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_FORTRAN_HANDLES_H
#define COMM_LIB_PLUGIN_FORTRAN_HANDLES_H

#include "Comm/MPI/ABI.h"

#include "llvm/IR/IRBuilder.h"

namespace comm {

/// Converts handles with MPI's conversion functions (MPI-5.0, 19.3.4).
class FortranHandles {
public:
  FortranHandles(llvm::Module &module, const mpi::ABI &abi) : module(module), abi(abi) {}
  /// Returns the type of a C handle.
  llvm::Type *getType(mpi::HandleClass handleClass) const;
  /// Returns the C handle whose number is in a Fortran variable.
  llvm::Value *load(llvm::IRBuilder<> &builder, llvm::Value *variable, mpi::HandleClass handleClass);
  /// Returns the null handle of C.
  llvm::Constant *getNull(mpi::HandleClass handleClass);
  /// Returns the number of a C handle.
  llvm::Value *getNumber(llvm::IRBuilder<> &builder, llvm::Value *handle, mpi::HandleClass handleClass);
  /// Whether the call converts a number to a C handle.
  bool isToC(const llvm::CallInst &call, mpi::HandleClass handleClass) const;
  /// Returns the result of converting a constant, or a handle that was just converted in the other direction; null if
  /// it is not known or `inst` is not a conversion.
  llvm::Value *fold(const llvm::Instruction &inst);

private:
  llvm::FunctionCallee getConversion(mpi::HandleClass handleClass, bool toC);
  llvm::Constant *getPredefined(llvm::StringRef name);

  llvm::Module &module;
  const mpi::ABI &abi;
};

/// Whether the module converts handles between Fortran and C.
bool convertsHandles(const llvm::Module &module);

} // namespace comm

#endif // COMM_LIB_PLUGIN_FORTRAN_HANDLES_H
