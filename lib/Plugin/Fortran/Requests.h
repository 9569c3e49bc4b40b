//===- Requests.h - Requests of Fortran and of C ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_FORTRAN_REQUESTS_H
#define COMM_LIB_PLUGIN_FORTRAN_REQUESTS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class AllocaInst;
class Function;
class Type;
} // namespace llvm

namespace comm {

/// What the names of functions begin with that are called as MPI's C functions, but with the addresses of Fortran's
/// requests, which are numbers. No program has them; settleRequests replaces all.
inline constexpr llvm::StringLiteral kPendingPrefix = "comm.fortran.";

/// A variable of the function, at its beginning.
llvm::AllocaInst *createVariable(llvm::Function &function, llvm::Type *type);

} // namespace comm

#endif // COMM_LIB_PLUGIN_FORTRAN_REQUESTS_H
