//===- RequestVariables.cpp - Requests at file scope ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/RequestVariables.h"

#include "Comm/MPI/Effects.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace comm;

/// Keep larger variables off the stack.
static constexpr uint64_t maxBytes = 64 * 1024;

static bool isRequest(const Use &use) {
  const mpi::Param *param = getMPIParam(use);
  return param && param->role == mpi::Role::Request;
}

/// Whether the instruction does not capture the address.
static bool forgetsAddress(const Use &use) {
  const User *user = use.getUser();
  if (isa<LoadInst, ICmpInst, MemIntrinsic, LifetimeIntrinsic>(user))
    return true;
  if (const auto *store = dyn_cast<StoreInst>(user))
    return store->getValueOperand() != use.get();
  const mpi::Param *param = getMPIParam(use);
  return param && (param->role == mpi::Role::Request || mpi::forgetsAddress(*getCalledMPIFunction(*user), *param));
}

/// Whether only this function uses the variable, as a request among others, and nothing captures its address.
static bool isOnlyUsedIn(const GlobalVariable &variable, const Function &function) {
  SetVector<const Value *> pointers;
  pointers.insert(&variable);
  bool holdsRequests = false;
  for (size_t i = 0; i < pointers.size(); ++i)
    for (const Use &use : pointers[i]->uses()) {
      const auto *inst = dyn_cast<Instruction>(use.getUser());
      if (inst && inst->getFunction() != &function)
        return false;
      holdsRequests |= isRequest(use);
      if (isa<GEPOperator>(use.getUser()))
        pointers.insert(use.getUser());
      else if (!inst || !forgetsAddress(use))
        return false;
    }
  return holdsRequests;
}

static void moveInto(GlobalVariable &variable, Function &function) {
  const DataLayout &layout = variable.getDataLayout();
  convertUsersOfConstantsToInstructions({&variable});
  IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().getFirstInsertionPt());
  AllocaInst *local = builder.CreateAlloca(variable.getValueType(), nullptr, variable.getName());
  local->setAlignment(std::max(local->getAlign(), variable.getAlign().valueOrOne()));
  if (isa<ConstantAggregateZero, ConstantPointerNull>(variable.getInitializer()))
    builder.CreateMemSet(local, builder.getInt8(0), layout.getTypeAllocSize(variable.getValueType()),
                         local->getAlign());
  else
    builder.CreateStore(variable.getInitializer(), local);
  // Tail calls must not use the caller's variables.
  for (Instruction &inst : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&inst))
      call->setTailCall(false);
  variable.replaceAllUsesWith(local);
  variable.eraseFromParent();
}

bool comm::moveRequestsToMain(Module &module, bool isWholeProgram) {
  Function *main = module.getFunction("main");
  auto mustBeTail = [](const Instruction &inst) {
    const auto *call = dyn_cast<CallInst>(&inst);
    return call && call->isMustTailCall();
  };
  // After a longjmp, a file-scope variable has its last value; a local variable may not.
  if (!main || main->isDeclaration() || !main->use_empty() || main->callsFunctionThatReturnsTwice() ||
      !(isWholeProgram || main->doesNotRecurse()) || any_of(instructions(*main), mustBeTail))
    return false;
  SmallVector<GlobalVariable *> variables;
  for (GlobalVariable &variable : module.globals())
    if (variable.hasLocalLinkage() && variable.hasDefinitiveInitializer() && !variable.isThreadLocal() &&
        !variable.isConstant() && !variable.hasSection() && variable.getAddressSpace() == 0 &&
        variable.getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue() <= maxBytes &&
        isOnlyUsedIn(variable, *main))
      variables.push_back(&variable);
  for (GlobalVariable *variable : variables)
    moveInto(*variable, *main);
  return !variables.empty();
}
