//===- CalledFunction.h - Finding the MPI function of a call ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What such a function does is a query on it: whether it has a nonblocking form (mpi::Function), belongs to an exchange
// or communicates (Comm/MPI/Effects.h).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_CALLEDFUNCTION_H
#define COMM_PLUGIN_UTILS_CALLEDFUNCTION_H

#include "Comm/MPI/Standard.h"

#include "llvm/IR/InstrTypes.h"

namespace comm {

/// Prefix of functions that are called like MPI's C functions but with the addresses of Fortran's requests, which are
/// integers. No program contains them; settleRequests (Fortran/CBinding.h) replaces all.
inline constexpr llvm::StringLiteral kPendingPrefix = "comm.fortran.";

/// Returns the MPI function that this declares, pending ones included; null for other functions and for definitions.
inline const mpi::Function *getMPIFunction(const llvm::Function &function) {
  llvm::StringRef name = function.getName();
  name.consume_front(kPendingPrefix);
  return function.isDeclaration() ? mpi::lookupFunction(name) : nullptr;
}

/// Returns the MPI function that `user` calls; null if `user` is not such a call.
inline const mpi::Function *getCalledMPIFunction(const llvm::User &user) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&user);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee ? getMPIFunction(*callee) : nullptr;
}

/// Returns the parameter of the MPI function for which `use` is the argument; null for other uses.
inline const mpi::Param *getMPIParam(const llvm::Use &use) {
  const mpi::Function *known = getCalledMPIFunction(*use.getUser());
  const auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  bool isKnown = known && call->isArgOperand(&use) && call->getArgOperandNo(&use) < known->numParams;
  return isKnown ? &known->params()[call->getArgOperandNo(&use)] : nullptr;
}

} // namespace comm

#endif // COMM_PLUGIN_UTILS_CALLEDFUNCTION_H
