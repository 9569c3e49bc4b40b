//===- FatalErrors.cpp - Error codes that are always success --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Errors/FatalErrors.h"

#include "Comm/Analysis/Memory/FunctionSummary.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace comm;

const CallBase *comm::findErrorHandlerCall(const Module &module) {
  for (const Function &function : module) {
    const mpi::Function *known = function.isDeclaration() ? mpi::lookupLinkerName(function.getName()) : nullptr;
    if (!known || known->findRole(mpi::Role::Errhandler, mpi::Direction::In) < 0 || known->isOfFiles)
      continue;
    for (const User *user : function.users())
      if (const auto *call = dyn_cast<CallBase>(user))
        return call;
  }
  return nullptr;
}

const User *comm::findOwnErrorHandler(const Module &module) {
  for (const Function &function : module) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    const mpi::Function *known = mpi::lookupLinkerName(function.getName());
    // MPI-1's function was removed from the standard, but libraries still have it.
    bool makes = known ? known->findRole(mpi::Role::Errhandler, mpi::Direction::Out) >= 0 &&
                             known->findRole(mpi::Role::Function, mpi::Direction::In) >= 0
                       : function.getName().rtrim('_').ends_with_insensitive("MPI_Errhandler_create");
    if (makes)
      return *function.user_begin();
  }
  return nullptr;
}

bool comm::givesFunctionsToMPI(const Module &module) {
  return any_of(module, [](const Function &function) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || function.use_empty() || !mpi::isReservedName(name))
      return false;
    const mpi::Function *known = mpi::lookupLinkerName(name);
    return !known || any_of(known->params(), [](const mpi::Param &param) { return param.role == mpi::Role::Function; });
  });
}

bool comm::assumeErrorsAreFatal(Module &module) {
  bool changed = false;
  for (const Function &function : module) {
    const mpi::Function *known = getMPIFunction(function);
    if (!known || !known->returnsErrorCode || known->isOfFiles || known->isTool)
      continue;
    for (const User *user : function.users())
      if (const auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledOperand() == &function && call->getType()->isIntegerTy() && !call->use_empty()) {
        const_cast<CallBase *>(call)->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
        changed = true;
      }
  }
  return changed;
}

/// Returns whether the result is an error code that the communicator's error handler decides on. Excludes functions
/// that may return the code of a program's callback, and those on files and windows, which have their own handlers.
static bool returnsHandledCode(const mpi::Function &function) {
  return function.returnsErrorCode && !function.mayCallBack && !function.isOneSided() && !function.isOfFiles &&
         !function.isTool && any_of(function.params(), [](const mpi::Param &param) {
           return param.role == mpi::Role::Comm || param.role == mpi::Role::Request ||
                  param.role == mpi::Role::Message || param.role == mpi::Role::Datatype;
         });
}

/// Returns whether the callee does nothing if some argument is 0, and that argument is 0 here.
static bool doesNothing(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  unsigned argument = 0;
  if (!callee || !call.use_empty() ||
      callee->getFnAttribute(kIdleIfZeroAttrName).getValueAsString().getAsInteger(10, argument) ||
      argument >= call.arg_size())
    return false;
  auto *code = dyn_cast<ConstantInt>(call.getArgOperand(argument));
  return code && code->isZero();
}

/// Removes calls to functions that check error codes and do nothing for MPI_SUCCESS.
static void removeChecks(Function &function) {
  SmallVector<CallBase *> idle;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && doesNothing(*call))
      idle.push_back(call);
  for (CallBase *call : idle) {
    if (auto *invoke = dyn_cast<InvokeInst>(call)) {
      BasicBlock *block = invoke->getParent();
      invoke->getUnwindDest()->removePredecessor(block);
      BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
    }
    call->eraseFromParent();
  }
}

/// Removes code that is unreachable once the error codes are constants.
static void removeDeadCode(Function &function) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock &block : function) {
      changed |= SimplifyInstructionsInBlock(&block);
      changed |= ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
    }
    changed |= removeUnreachableBlocks(function);
  }
  for (BasicBlock &block : make_early_inc_range(function))
    MergeBlockIntoPredecessor(&block);
}

bool comm::assumeSuccess(Function &function) {
  SmallVector<CallBase *> calls;
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&inst);
    const mpi::Function *known = getCalledMPIFunction(inst);
    if (known && returnsHandledCode(*known) && call->getType()->isIntegerTy() && !call->use_empty())
      calls.push_back(call);
  }
  for (CallBase *call : calls)
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
  if (!calls.empty()) {
    removeChecks(function);
    removeDeadCode(function);
  }
  return !calls.empty();
}
