//===- RequestVariables.cpp - Requests at file scope ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/RequestVariables.h"

#include "Comm/MPI/Standard.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace comm;

/// Larger variables stay out of the stack.
static constexpr uint64_t maxBytes = 64 * 1024;

/// Whether a call of MPI is told that requests are there.
static bool isRequest(const Use &use) {
  const auto *call = dyn_cast<CallBase>(use.getUser());
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  const mpi::Function *function = callee ? mpi::lookupFunction(callee->getName()) : nullptr;
  if (!function || !call->isArgOperand(&use) || call->getArgOperandNo(&use) >= function->numParams)
    return false;
  return function->params()[call->getArgOperandNo(&use)].role == mpi::Role::Request;
}

/// Whether instructions of this function alone use the variable, requests among them.
static bool isOnlyUsedIn(const GlobalVariable &variable, const Function &function) {
  SetVector<const Value *> pointers;
  pointers.insert(&variable);
  bool holdsRequests = false;
  for (size_t i = 0; i < pointers.size(); ++i)
    for (const Use &use : pointers[i]->uses()) {
      const auto *inst = dyn_cast<Instruction>(use.getUser());
      if (inst && inst->getFunction() != &function)
        return false;
      if (!inst && !isa<ConstantExpr>(use.getUser()))
        return false;
      holdsRequests |= isRequest(use);
      if (!inst || isa<GetElementPtrInst>(inst))
        pointers.insert(use.getUser());
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
  // A tail call uses no variable of its caller.
  for (Instruction &inst : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&inst))
      call->setTailCall(false);
  variable.replaceAllUsesWith(local);
  variable.eraseFromParent();
}

bool comm::moveRequestsToMain(Module &module) {
  Function *main = module.getFunction("main");
  auto mustBeTail = [](const Instruction &inst) {
    const auto *call = dyn_cast<CallInst>(&inst);
    return call && call->isMustTailCall();
  };
  // After a longjmp, a variable of the file has the value that it was given last; one of the function may not.
  if (!main || main->isDeclaration() || !main->use_empty() || main->callsFunctionThatReturnsTwice() ||
      any_of(instructions(*main), mustBeTail))
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
