//===- PrivateVariables.cpp - Globals that stay in their file -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrivateVariables.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

/// Returns whether no message in an argument of the function is under way when it returns, and no function of the
/// program that communicates gets the argument: a function of a language's library, such as Fortran's MOVE_ALLOC, or
/// one that calls only such functions.
static bool communicatesNothing(const Function &function, unsigned depth = 0) {
  static constexpr unsigned mostDepth = 3;
  if (function.isDeclaration())
    return !comm::getMPIFunction(function) &&
           (function.hasFnAttribute(Attribute::NoCallback) || function.onlyAccessesInaccessibleMemOrArgMem());
  return depth < mostDepth && !function.isInterposable() &&
         all_of(
             instructions(function),
             [&](const Instruction &each) {
               const auto *call = dyn_cast<CallBase>(&each);
               const Function *callee = call ? call->getCalledFunction() : nullptr;
               return !call || (callee && communicatesNothing(*callee, depth + 1));
             });
}

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
  if (!call || !call->isArgOperand(&use))
    return false;
  if (!function) {
    const Function *callee = call->getCalledFunction();
    return callee && call->doesNotCapture(call->getArgOperandNo(&use)) && communicatesNothing(*callee);
  }
  if (call->getArgOperandNo(&use) >= function->numParams)
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
