//===- PrivateVariables.cpp - Globals that no pointer points to ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrivateVariables.h"

#include "Comm/MPI/Standard.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

/// Results, handles, and the buffers of blocking communication. Windows, attached buffers and attributes are kept, and
/// so is what a request is in flight with.
static bool keepsAddress(const comm::mpi::Function &function, unsigned index) {
  if (index >= function.numParams)
    return true;
  const comm::mpi::Param &param = function.params()[index];
  bool completes = function.findRole(comm::mpi::Role::Request, comm::mpi::Direction::Out) < 0 &&
                   function.findRole(comm::mpi::Role::Request, comm::mpi::Direction::InOut) < 0;
  bool communicates = function.findRole(comm::mpi::Role::Comm, comm::mpi::Direction::In) >= 0;
  bool isBuffer = param.role == comm::mpi::Role::Buffer && !param.isAsync && communicates;
  bool isHandle = param.direction == comm::mpi::Direction::InOut && param.role == comm::mpi::Role::Comm;
  return !completes || function.isOneSided() || !(param.isScalarOut() || isBuffer || isHandle);
}

static bool isDirectUse(const Use &use) {
  if (isa<LoadInst>(use.getUser()))
    return true;
  if (const auto *store = dyn_cast<StoreInst>(use.getUser()))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() && store->getValueOperand() != use.get();
  const auto *call = dyn_cast<CallBase>(use.getUser());
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  const comm::mpi::Function *function =
      callee && callee->isDeclaration() ? comm::mpi::lookupFunction(callee->getName()) : nullptr;
  return function && call->isArgOperand(&use) && !keepsAddress(*function, call->getArgOperandNo(&use));
}

bool comm::isPrivateVariable(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && variable.getValueType()->isSingleValueType() &&
         all_of(variable.uses(), isDirectUse);
}
