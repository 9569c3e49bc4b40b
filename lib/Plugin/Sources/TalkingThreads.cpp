//===- TalkingThreads.cpp - Whether several threads call MPI ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Sources/TalkingThreads.h"

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

/// Returns the level that MPI_Init_thread requests; Fortran passes the address of a constant.
static const ConstantInt *getLevel(const CallBase &call, unsigned parameter) {
  if (parameter >= call.arg_size())
    return nullptr;
  const Value *level = call.getArgOperand(parameter);
  const auto *variable = dyn_cast<GlobalVariable>(level);
  if (variable && variable->isConstant() && variable->hasDefinitiveInitializer())
    level = variable->getInitializer();
  return dyn_cast<ConstantInt>(level);
}

/// Whether the number is one of these levels in some implementation.
static bool mayBe(const ConstantInt &level, ArrayRef<StringRef> names) {
  return any_of(mpi::ABI::all(), [&](const mpi::ABI &abi) {
    return any_of(names, [&](StringRef name) { return abi.getConstant(name) == level.getSExtValue(); });
  });
}

bool comm::mayHaveTalkingThreads(const Module &module) {
  return any_of(module, [](const Function &function) {
    const mpi::Function *known = function.use_empty() ? nullptr : mpi::lookupLinkerName(function.getName());
    StringRef name = known ? known->name : "";
    if (name == "MPI_Session_init")
      return true;
    if (name != "MPI_Init_thread")
      return false;
    // The Fortran variant has no argc and argv.
    unsigned parameter = function.arg_size() == 4 ? 2 : 0;
    return any_of(function.uses(), [&](const Use &use) {
      const auto *call = dyn_cast<CallBase>(use.getUser());
      const ConstantInt *level = call && call->isCallee(&use) ? getLevel(*call, parameter) : nullptr;
      return !level || !mayBe(*level, {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED"}) ||
             mayBe(*level, {"MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"});
    });
  });
}
