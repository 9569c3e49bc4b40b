//===- PollingLoops.cpp - Loops of MPI_Test -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loop:                                        loop:
//     call i32 @MPI_Test(%request, %flag, %s)      call i32 @MPI_Wait(%request, %s)
//     %f = load i32, %flag                         store i32 1, %flag
//     %again = icmp eq i32 %f, 0                   %f = load i32, %flag
//     br i1 %again, %loop, %done                   br %done
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/PollingLoops.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace comm;

/// The parameter of MPI_Test that points to the flag.
static constexpr unsigned kFlag = 1;

/// MPI_Testall is not MPI_Waitall: if a request fails, the latter returns while others are pending (MPI-4, 3.7.5).
static bool isTest(const CallInst &call) {
  const mpi::Function *known = getCalledMPIFunction(call);
  return known && known->name == StringRef("MPI_Test") && call.arg_size() == 3;
}

/// Returns the test that the block repeats until its flag is set, if it does nothing else.
static CallInst *findRepeatedTest(BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || isa<PHINode>(block.front()) ||
      (branch->getSuccessor(0) == &block) == (branch->getSuccessor(1) == &block))
    return nullptr;
  CallInst *test = nullptr;
  LoadInst *looked = nullptr;
  for (Instruction &inst : block) {
    if (inst.isDebugOrPseudoInst() || &inst == branch || &inst == branch->getCondition())
      continue;
    if (auto *load = dyn_cast<LoadInst>(&inst); load && test && !looked && load->isSimple())
      looked = load;
    else if (auto *call = dyn_cast<CallInst>(&inst); call && !test && call->use_empty() && isTest(*call))
      test = call;
    else
      return nullptr;
  }
  if (!test || !looked || looked->getPointerOperand() != test->getArgOperand(kFlag) ||
      !looked->getType()->isIntegerTy(32))
    return nullptr;
  auto again = branch->getSuccessor(0) == &block ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE;
  using namespace PatternMatch;
  bool isUntilSet = match(branch->getCondition(), m_SpecificICmp(again, m_Specific(looked), m_ZeroInt()));
  return isUntilSet ? test : nullptr;
}

static void replace(CallInst &test) {
  BasicBlock &block = *test.getParent();
  SmallVector<Value *> arguments(test.args());
  arguments.erase(arguments.begin() + kFlag);
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  // The name may have the prefix of functions whose calls must not be copied.
  std::string name = test.getCalledFunction()->getName().str();
  name.replace(name.rfind("Test"), 4, "Wait");
  IRBuilder<> builder(&test);
  FunctionCallee wait =
      block.getModule()->getOrInsertFunction(name, FunctionType::get(test.getType(), types, /*isVarArg=*/false));
  CallInst *call = builder.CreateCall(wait, arguments);
  if (test.doesNotThrow())
    call->setDoesNotThrow();
  builder.CreateStore(builder.getInt32(1), test.getArgOperand(kFlag));
  auto *branch = cast<BranchInst>(block.getTerminator());
  builder.SetInsertPoint(branch);
  builder.CreateBr(branch->getSuccessor(branch->getSuccessor(0) == &block ? 1 : 0));
  branch->eraseFromParent();
  test.eraseFromParent();
}

bool comm::waitInsteadOfPolling(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<CallInst *> tests;
  for (BasicBlock &block : function)
    if (CallInst *test = findRepeatedTest(block))
      tests.push_back(test);
  if (tests.empty())
    return false;
  for (CallInst *test : tests)
    replace(*test);
  analyses.invalidate(function, PreservedAnalyses::none());
  return true;
}
