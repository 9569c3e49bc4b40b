//===- LLVMWork.cpp - Time estimates for instructions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMWork.h"

#include "Comm/MPI/Markers.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace comm;

namespace {
/// Cycles, rather too high: an interval reported to hide nothing must really hide nothing.
enum Cycles : uint64_t { Free = 0, Simple = 1, Access = 4, Division = 25, Atomic = 50, Question = 50, MathCall = 100 };
/// Bytes per cycle of memory bandwidth.
constexpr uint64_t kBytesPerCycle = 4;
} // namespace

WorkEstimate LLVMWork::estimateCall(llvm::Instruction &instruction) {
  if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    auto *length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    if (!length)
      return WorkEstimate::unknown();
    return {Access + length->getLimitedValue() / kBytesPerCycle, false};
  }
  auto &call = llvm::cast<llvm::CallBase>(instruction);
  if (llvm::isa<llvm::DbgInfoIntrinsic, llvm::LifetimeIntrinsic, llvm::AssumeInst>(call))
    return {Free, false};
  llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return WorkEstimate::unknown();
  switch (callee->getIntrinsicID()) {
  case llvm::Intrinsic::fmuladd:
    return {2 * Simple, false}; // a product and a sum, in one instruction or two
  case llvm::Intrinsic::fabs:
  case llvm::Intrinsic::copysign:
    return {Simple, false};
  default:
    break;
  }
  if (callee->isIntrinsic())
    return {callee->getReturnType()->isFPOrFPVectorTy() ? MathCall : Access, false};
  if (!callee->isDeclaration())
    return estimateBody(*callee);
  // A question to Comm's runtime, such as that of a guarded wait.
  if (callee->getName().starts_with(mpi::kAskPrefix))
    return {Question, false};
  // A numeric function of the C library: sin, pow.
  llvm::LibFunc known;
  bool isLibrary = analyses.getResult<llvm::TargetLibraryAnalysis>(*call.getFunction()).getLibFunc(call, known);
  bool isOfNumbers = callee->getReturnType()->isFloatingPointTy() &&
                     llvm::all_of(call.args(), [](const llvm::Use &use) { return !use->getType()->isPointerTy(); });
  return isLibrary && isOfNumbers ? WorkEstimate{MathCall, false} : WorkEstimate::unknown();
}

WorkEstimate LLVMWork::estimateBody(llvm::Function &function) {
  auto [known, isNew] = bodies.try_emplace(&function, WorkEstimate::unknown());
  if (!isNew)
    return known->second;
  WorkEstimate body;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    WorkEstimate work = estimateOnce(instruction);
    repeat(work, instruction, nullptr);
    body.add(work);
  }
  return bodies[&function] = body;
}

WorkEstimate LLVMWork::estimateOnce(llvm::Instruction &instruction) {
  if (llvm::isa<llvm::CallBase>(instruction))
    return estimateCall(instruction);
  if (instruction.isAtomic() || instruction.isVolatile())
    return {Atomic, false};
  switch (instruction.getOpcode()) {
  case llvm::Instruction::PHI:
  case llvm::Instruction::Alloca:
  case llvm::Instruction::BitCast:
  case llvm::Instruction::Unreachable:
    return {Free, false};
  case llvm::Instruction::Load:
  case llvm::Instruction::Store:
    return {Access, false};
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
  case llvm::Instruction::FDiv:
  case llvm::Instruction::FRem:
    return {Division, false};
  default:
    return {Simple, false};
  }
}

void LLVMWork::repeat(WorkEstimate &work, llvm::Instruction &instruction, const llvm::Instruction *around) {
  llvm::Function &function = *instruction.getFunction();
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop *loop = loops.getLoopFor(instruction.getParent()); loop; loop = loop->getParentLoop()) {
    if (around && loop->contains(around))
      return;
    // An upper bound is good enough, since the estimate may be too high.
    if (unsigned times = evolution.getSmallConstantMaxTripCount(loop))
      work.repeat(times);
    else
      work.isUnknown = true;
  }
}

WorkEstimate LLVMWork::estimate(llvm::Instruction &instruction, const llvm::Instruction &around) {
  WorkEstimate work = estimateOnce(instruction);
  if (work.cycles != 0 || work.isUnknown)
    repeat(work, instruction, &around);
  return work;
}
