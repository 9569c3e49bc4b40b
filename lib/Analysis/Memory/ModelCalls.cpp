//===- ModelCalls.cpp - Effects of MPI and allocators, for LLVM -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelCalls.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace mlir;
using namespace comm;

void comm::describeCommCalls(LLVMModel &model, llvm::function_ref<bool(Operation *)> isFollowed) {
  for (auto &[op, instructions] : model.instructions) {
    auto mpiOp = dyn_cast<MPIOpInterface>(op);
    if (!mpiOp)
      continue;
    for (llvm::Instruction *instruction : instructions) {
      auto *call = dyn_cast<llvm::CallBase>(instruction);
      if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != "comm.model.op")
        continue;
      call->setDoesNotThrow();
      call->addFnAttr(llvm::Attribute::WillReturn);
      // A request in memory may be known only to waits of this function.
      bool requestInMemory = mpiOp.isAsync() && mpiOp.getParam("request") && !(isStartInMemory(op) && isFollowed(op));
      if (requestInMemory || getCommAccesses(mpiOp).isUnknown)
        continue;
      call->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (call->getArgOperand(i)->getType()->isPointerTy())
          call->addParamAttr(i, llvm::Attribute::getWithCaptureInfo(model.context, llvm::CaptureInfo::none()));
    }
  }
}

void comm::describeKeptPointers(LLVMModel &model) {
  llvm::Attribute forgotten = llvm::Attribute::getWithCaptureInfo(model.context, llvm::CaptureInfo::none());
  for (auto &[op, instructions] : model.instructions) {
    auto mpiOp = dyn_cast<MPIOpInterface>(op);
    for (llvm::Instruction *instruction : instructions) {
      auto *call = dyn_cast<llvm::CallBase>(instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isDeclaration())
        continue;
      bool isModel = mpiOp && callee->getName() == "comm.model.op";
      const mpi::Function *function = isModel ? &mpiOp.getCalledFunction() : mpi::lookupFunction(callee->getName());
      if (!function)
        continue;
      for (auto [index, param] : llvm::enumerate(function->params())) {
        if (!param.isAddress() || function->keepsAddress(index))
          continue;
        int position = index;
        if (isModel) {
          OperandRange values = ::comm::detail::getParamOperands(mpiOp, param.name);
          auto positions = model.arguments.find(op);
          position = values.size() == 1 && positions != model.arguments.end()
                         ? positions->second[values.getBeginOperandIndex()]
                         : -1;
        }
        if (position >= 0 && position < static_cast<int>(call->arg_size()) &&
            call->getArgOperand(position)->getType()->isPointerTy())
          call->addParamAttr(position, forgotten);
      }
    }
  }
}

void comm::describeLentPointers(LLVMModel &model) {
  constexpr unsigned mostUses = 1000;
  llvm::Attribute forgotten = llvm::Attribute::getWithCaptureInfo(model.context, llvm::CaptureInfo::none());
  llvm::SmallSetVector<llvm::Function *, 16> open;
  for (llvm::Function &function : *model.module)
    if (!function.isDeclaration() && !function.isInterposable())
      open.insert(&function);
  while (!open.empty()) {
    llvm::Function *function = open.pop_back_val();
    bool isChanged = false;
    for (llvm::Argument &argument : function->args()) {
      if (!argument.getType()->isPointerTy() || argument.hasNoCaptureAttr() ||
          llvm::PointerMayBeCaptured(&argument, /*ReturnCaptures=*/true, mostUses))
        continue;
      argument.addAttr(forgotten);
      isChanged = true;
    }
    if (!isChanged)
      continue;
    for (const llvm::User *user : function->users())
      if (auto *call = dyn_cast<llvm::CallBase>(user); call && !call->getFunction()->isInterposable())
        open.insert(const_cast<llvm::Function *>(call->getFunction()));
  }
}

/// Whether the number is unused, apart from arithmetic with unused results.
static bool isUseless(const llvm::Instruction &instruction) {
  return llvm::all_of(instruction.users(), [](const llvm::User *user) {
    auto *inner = dyn_cast<llvm::BinaryOperator>(user);
    return inner && isUseless(*inner);
  });
}

void comm::describeDeallocations(LLVMModel &model) {
  for (llvm::Function &function : *model.module) {
    if (function.isDeclaration())
      continue;
    const auto &library = model.getAnalyses().getResult<llvm::TargetLibraryAnalysis>(function);
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallBase>(&instruction);
      llvm::Value *freed = call ? llvm::getFreedOperand(call, &library) : nullptr;
      if (!freed)
        continue;
      for (llvm::Use &argument : call->args()) {
        if (argument == freed)
          call->addParamAttr(call->getArgOperandNo(&argument),
                             llvm::Attribute::getWithCaptureInfo(model.context, llvm::CaptureInfo::none()));
        else if (argument->getType()->isIntegerTy())
          argument.set(llvm::PoisonValue::get(argument->getType()));
      }
    }
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *number = dyn_cast<llvm::PtrToIntInst>(&instruction); number && isUseless(*number))
        number->setOperand(0, llvm::PoisonValue::get(number->getPointerOperand()->getType()));
  }
}
