//===- CalledFunction.h - Which of MPI's functions is called ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What such a function does is asked of it: whether it has a nonblocking form (mpi::Function), whether it belongs to an
// exchange or communicates (Comm/MPI/Effects.h).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_CALLEDFUNCTION_H
#define COMM_PLUGIN_UTILS_CALLEDFUNCTION_H

#include "Comm/MPI/Standard.h"

#include "llvm/IR/InstrTypes.h"

namespace comm {

/// What the names of functions begin with that are called as MPI's C functions, but with the addresses of Fortran's
/// requests, which are numbers. No program has them; settleRequests (Fortran/CBinding.h) replaces all.
inline constexpr llvm::StringLiteral kPendingPrefix = "comm.fortran.";

/// The function of MPI that is declared by its usual name, or is pending; null if it is none, or the module defines it.
inline const mpi::Function *getMPIFunction(const llvm::Function &function) {
  llvm::StringRef name = function.getName();
  name.consume_front(kPendingPrefix);
  return function.isDeclaration() ? mpi::lookupFunction(name) : nullptr;
}

/// The function of MPI that is called there by its usual name; null if that is no such call.
inline const mpi::Function *getCalledMPIFunction(const llvm::User &user) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&user);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee ? getMPIFunction(*callee) : nullptr;
}

/// The parameter of a function of MPI that is given the value there; null for other uses.
inline const mpi::Param *getMPIParam(const llvm::Use &use) {
  const mpi::Function *known = getCalledMPIFunction(*use.getUser());
  const auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  bool isKnown = known && call->isArgOperand(&use) && call->getArgOperandNo(&use) < known->numParams;
  return isKnown ? &known->params()[call->getArgOperandNo(&use)] : nullptr;
}

} // namespace comm

#endif // COMM_PLUGIN_UTILS_CALLEDFUNCTION_H
