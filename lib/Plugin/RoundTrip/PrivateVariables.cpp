//===- PrivateVariables.cpp - Globals that stay in their file ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrivateVariables.h"

#include "Comm/MPI/Standard.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

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
  bool isBuffer = param.role == comm::mpi::Role::Buffer && !param.isAsync && communicates && !function.isOneSided();
  bool isHandle = param.direction == comm::mpi::Direction::InOut &&
                  (param.role == comm::mpi::Role::Comm || param.role == comm::mpi::Role::Win);
  return !completes || !(param.isScalarOut() || isBuffer || isHandle);
}

/// A use of a pointer into the variable that neither keeps it nor shows it to anybody.
static bool isPrivateUse(const Use &use) {
  if (isa<LoadInst, ICmpInst>(use.getUser()))
    return true;
  if (const auto *intrinsic = dyn_cast<MemIntrinsic>(use.getUser()))
    return intrinsic->isArgOperand(&use);
  if (const auto *store = dyn_cast<StoreInst>(use.getUser()))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() && store->getValueOperand() != use.get();
  const auto *call = dyn_cast<CallBase>(use.getUser());
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  const comm::mpi::Function *function =
      callee && callee->isDeclaration() ? comm::mpi::lookupFunction(callee->getName()) : nullptr;
  return function && call->isArgOperand(&use) && !keepsAddress(*function, call->getArgOperandNo(&use));
}

bool comm::isPrivateVariable(const GlobalVariable &variable) {
  if (!variable.hasLocalLinkage())
    return false;
  SetVector<const Value *> pointers;
  pointers.insert(&variable);
  for (size_t i = 0; i < pointers.size(); ++i)
    for (const Use &use : pointers[i]->uses()) {
      if (isa<GEPOperator, PHINode, SelectInst>(use.getUser()))
        pointers.insert(use.getUser());
      else if (!isPrivateUse(use))
        return false;
    }
  return true;
}
