//===- AddressConstants.h - MPI_BOTTOM and its like in Fortran --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_FORTRAN_ADDRESSCONSTANTS_H
#define COMM_LIB_PLUGIN_FORTRAN_ADDRESSCONSTANTS_H

#include "Comm/MPI/ABI.h"

#include "llvm/IR/IRBuilder.h"

namespace comm {

/// What the linker calls the common block of an address constant: mpi_fortran_bottom_. "" if there is none.
std::string getBlockSymbol(const mpi::ABI &abi, llvm::StringRef name);

/// Converts address constants: in Fortran they are the addresses of common blocks.
class AddressConstants {
public:
  AddressConstants(llvm::Module &module, const mpi::ABI &abi) : module(module), abi(abi) {}
  /// What C is given for that address, which may be that of the constant's common block.
  llvm::Value *convert(llvm::IRBuilder<> &builder, llvm::Value *address, llvm::StringRef name);
  /// False where a comparison asks whether an address is that of a common block of MPI, and it cannot be; null for
  /// other instructions.
  llvm::Value *fold(const llvm::Instruction &inst);

private:
  llvm::Module &module;
  const mpi::ABI &abi;
};

} // namespace comm

#endif // COMM_LIB_PLUGIN_FORTRAN_ADDRESSCONSTANTS_H
