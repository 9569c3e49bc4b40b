//===- AddressConstants.h - MPI_BOTTOM in Fortran ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_FORTRAN_ADDRESSCONSTANTS_H
#define COMM_LIB_PLUGIN_FORTRAN_ADDRESSCONSTANTS_H

#include "Comm/MPI/ABI.h"

#include "llvm/IR/IRBuilder.h"

namespace comm {

/// Returns the linker name of an address constant's common block, e.g. mpi_fortran_bottom_, or "" if there is none.
std::string getBlockSymbol(const mpi::ABI &abi, llvm::StringRef name);

/// Converts address constants, which in Fortran are the addresses of common blocks.
class AddressConstants {
public:
  AddressConstants(llvm::Module &module, const mpi::ABI &abi) : module(module), abi(abi) {}
  /// Returns the C argument for an address that may be that of the constant's common block.
  llvm::Value *convert(llvm::IRBuilder<> &builder, llvm::Value *address, llvm::StringRef name);
  /// Returns the result of a comparison of one of MPI's common blocks with an address that cannot be equal; null for
  /// other instructions.
  llvm::Value *fold(const llvm::Instruction &inst);

private:
  llvm::Module &module;
  const mpi::ABI &abi;
};

} // namespace comm

#endif // COMM_LIB_PLUGIN_FORTRAN_ADDRESSCONSTANTS_H
