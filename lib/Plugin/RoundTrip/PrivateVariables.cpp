//===- PrivateVariables.cpp - Globals that stay in their file -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrivateVariables.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

/// Returns whether the use of a pointer into the variable does not capture it.
static bool isPrivateUse(const Use &use) {
  if (isa<LoadInst, ICmpInst>(use.getUser()))
    return true;
  if (const auto *intrinsic = dyn_cast<MemIntrinsic>(use.getUser()))
    return intrinsic->isArgOperand(&use);
  if (const auto *store = dyn_cast<StoreInst>(use.getUser()))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() && store->getValueOperand() != use.get();
  const auto *call = dyn_cast<CallBase>(use.getUser());
  const comm::mpi::Function *function = comm::getCalledMPIFunction(*use.getUser());
  if (!function || !call->isArgOperand(&use) || call->getArgOperandNo(&use) >= function->numParams)
    return false;
  unsigned index = call->getArgOperandNo(&use);
  return function->params()[index].isAddress() && !function->keepsAddress(index);
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
