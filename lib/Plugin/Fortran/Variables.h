//===- Variables.h - Variables for MPI calls --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_FORTRAN_VARIABLES_H
#define COMM_LIB_PLUGIN_FORTRAN_VARIABLES_H

namespace llvm {
class AllocaInst;
class Function;
class Type;
} // namespace llvm

namespace comm {

/// Creates a variable at the beginning of the function.
llvm::AllocaInst *createVariable(llvm::Function &function, llvm::Type *type);

} // namespace comm

#endif // COMM_LIB_PLUGIN_FORTRAN_VARIABLES_H
