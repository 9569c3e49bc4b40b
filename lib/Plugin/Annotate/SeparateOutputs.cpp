//===- SeparateOutputs.cpp - Separate variables for MPI's outputs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "Comm/MPI/Effects.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

namespace {
/// An MPI call whose callee and arguments match the standard.
struct MPICall {
  CallBase *call;
  const mpi::Function *known;
};
} // namespace

static SmallVector<MPICall> findCalls(Function &function) {
  SmallVector<MPICall> calls;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const mpi::Function *known = getCalledMPIFunction(instruction);
    if (known && call->arg_size() == known->params().size() && !call->isMustTailCall())
      calls.push_back({call, known});
  }
  return calls;
}

/// Returns the type of a number or handle. A handle has the type of another parameter of its class that is passed by
/// value; null if there is none.
static Type *getOutputType(const MPICall &mpiCall, const mpi::Param &param) {
  if (StringRef(param.cType) == "int")
    return Type::getInt32Ty(mpiCall.call->getContext());
  for (auto [index, other] : enumerate(mpiCall.known->params()))
    if (!other.isPointer && !other.isArray && StringRef(other.cType) == param.cType)
      return mpiCall.call->getArgOperand(index)->getType();
  return nullptr;
}

static bool isOutput(const mpi::Function &known, const mpi::Param &param) {
  return param.isScalarOut() && param.isPointer && param.role != mpi::Role::Status && mpi::forgetsAddress(known, param);
}

/// Returns whether this is a variable of just that type, which LLVM's value numbering handles.
static bool isVariableOfItsOwn(const Value *pointer, Type *type, const DataLayout &layout) {
  const auto *variable = dyn_cast<AllocaInst>(pointer);
  return variable && !variable->isArrayAllocation() &&
         layout.getTypeAllocSize(variable->getAllocatedType()) == layout.getTypeAllocSize(type);
}

/// Returns the first instruction after the call returned; null if other paths lead there, too.
static Instruction *getPlaceAfter(CallBase *call) {
  if (auto *invoke = dyn_cast<InvokeInst>(call)) {
    BasicBlock *next = invoke->getNormalDest();
    return next->getSinglePredecessor() ? &*next->getFirstInsertionPt() : nullptr;
  }
  return call->isTerminator() ? nullptr : call->getNextNode();
}

static void separate(const MPICall &mpiCall, unsigned index, Type *type, MPIErrors errors) {
  CallBase *call = mpiCall.call;
  Function &function = *call->getFunction();
  const DataLayout &layout = function.getDataLayout();
  Value *target = call->getArgOperand(index);
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *own = builder.CreateAlloca(type, layout.getAllocaAddrSpace(), nullptr, "comm.out");
  builder.SetInsertPoint(call);
  builder.CreateLifetimeStart(own);
  // The program's pointer may be unaligned.
  if (errors == MPIErrors::MayReturn)
    builder.CreateStore(builder.CreateAlignedLoad(type, target, Align(1)), own);
  call->setArgOperand(index, own);
  if (auto *direct = dyn_cast<CallInst>(call); direct && direct->isTailCall())
    direct->setTailCallKind(CallInst::TCK_None);

  builder.SetInsertPoint(getPlaceAfter(call));
  builder.SetCurrentDebugLocation(call->getDebugLoc());
  LoadInst *value = builder.CreateLoad(type, own);
  std::optional<int64_t> minimum = mpi::getMinimum(*mpiCall.known, index);
  if (errors == MPIErrors::AreFatal && minimum && type->isIntegerTy(32)) {
    MDBuilder metadata(function.getContext());
    value->setMetadata(LLVMContext::MD_range, metadata.createRange(APInt(32, *minimum), APInt::getSignedMinValue(32)));
  }
  builder.CreateAlignedStore(value, target, Align(1));
  builder.CreateLifetimeEnd(own);
}

/// Returns the load of the call's output right after the call; null if there is none.
static LoadInst *findOutput(const MPICall &mpiCall, unsigned index) {
  Instruction *place = getPlaceAfter(mpiCall.call);
  for (; place && (place->isDebugOrPseudoInst() || isa<LoadInst>(place)); place = place->getNextNode())
    if (auto *load = dyn_cast<LoadInst>(place); load && load->getPointerOperand() == mpiCall.call->getArgOperand(index))
      return load;
  return nullptr;
}

bool comm::separateOutputs(Function &function, const DominatorTree &dominance, MPIErrors errors) {
  const DataLayout &layout = function.getDataLayout();
  bool changed = false;
  for (const MPICall &mpiCall : findCalls(function)) {
    if (mpiCall.known->isOneSided() || !getPlaceAfter(mpiCall.call))
      continue;
    for (auto [index, param] : enumerate(mpiCall.known->params())) {
      Type *type = isOutput(*mpiCall.known, param) ? getOutputType(mpiCall, param) : nullptr;
      Value *target = mpiCall.call->getArgOperand(index);
      if (!type || !target->getType()->isPointerTy())
        continue;
      bool hasRange = errors == MPIErrors::AreFatal && mpi::getMinimum(*mpiCall.known, index);
      if (isVariableOfItsOwn(target, type, layout) && !(hasRange && !findOutput(mpiCall, index)))
        continue;
      if (errors == MPIErrors::MayReturn &&
          !isDereferenceablePointer(target, type, layout, mpiCall.call, /*AC=*/nullptr, &dominance))
        continue;
      separate(mpiCall, index, type, errors);
      changed = true;
    }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Ranks and sizes
//===----------------------------------------------------------------------===//

bool comm::relateRanksToSizes(Function &function, const DominatorTree &dominance) {
  // Only constant communicators: another one may be freed and its handle reused.
  struct Answer {
    const Value *communicator;
    LoadInst *number;
    bool isRank;
  };
  SmallVector<Answer> answers;
  for (const MPICall &mpiCall : findCalls(function)) {
    ArrayRef<mpi::Param> params = mpiCall.known->params();
    if (params.size() != 2 || params[0].role != mpi::Role::Comm || params[0].isPointer ||
        !mpi::getMinimum(*mpiCall.known, 1) || !isa<Constant>(mpiCall.call->getArgOperand(0)))
      continue;
    bool isRank = params[1].role == mpi::Role::Rank;
    bool isSize = mpi::getMinimum(*mpiCall.known, 1) == 1;
    if (LoadInst *number = isRank || isSize ? findOutput(mpiCall, 1) : nullptr)
      answers.push_back({mpiCall.call->getArgOperand(0), number, isRank});
  }
  bool changed = false;
  for (const Answer &rank : answers)
    for (const Answer &size : answers) {
      if (!rank.isRank || size.isRank || rank.communicator != size.communicator)
        continue;
      bool rankFirst = dominance.dominates(rank.number, size.number);
      if (!rankFirst && !dominance.dominates(size.number, rank.number))
        continue;
      IRBuilder<> builder((rankFirst ? size : rank).number->getNextNode());
      builder.CreateAssumption(builder.CreateICmpSLT(rank.number, size.number));
      changed = true;
    }
  return changed;
}
