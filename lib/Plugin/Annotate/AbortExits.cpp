//===- AbortExits.cpp - MPI_Abort as an exit ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To LLVM, `if (!buffer) die();` is a path that continues, after any effects of `die`. If the call to MPI_Abort ends
// the function, it is an exit that waits may cross, and LLVM infers that `die` does not return.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace comm;

/// Returns the instruction at which control continues after the call.
static Instruction *findContinuation(CallBase &call) {
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    BasicBlock *next = invoke->getNormalDest();
    if (!next->getSinglePredecessor())
      next = SplitEdge(invoke->getParent(), next);
    return &*next->getFirstInsertionPt();
  }
  return call.getNextNode();
}

bool comm::endAfterAbort(Module &module) {
  SmallVector<CallBase *> calls;
  for (Function &function : module) {
    const mpi::Function *known = getMPIFunction(function);
    if (!known || !known->mayNotReturn)
      continue;
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledOperand() == &function && !call->getFunction()->hasOptNone())
        calls.push_back(call);
  }
  bool changed = false;
  for (CallBase *call : calls) {
    Instruction *next = findContinuation(*call);
    if (isa<UnreachableInst>(next))
      continue;
    // A library that interposes MPI_Abort may return.
    FunctionCallee abort = module.getOrInsertFunction(
        "abort", FunctionType::get(Type::getVoidTy(module.getContext()), /*isVarArg=*/false));
    IRBuilder<> builder(next);
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    CallInst *end = builder.CreateCall(abort);
    end->setDoesNotReturn();
    end->setDoesNotThrow();
    changeToUnreachable(next);
    changed = true;
  }
  return changed;
}
