//===- OrderCompletions.cpp - Completions in a fixed order ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// for (k < n) { MPI_Waitany(n, requests, &i, &status); use(i); } becomes
// for (k < n) { i = requests[k] == MPI_REQUEST_NULL ? MPI_UNDEFINED : k; MPI_Wait(&requests[k], &status); use(i); }
//
// The loop comes to each request once, in an order that MPI might have chosen. It ends when all of them are complete,
// whichever comes first; what it does with one of them must not be what another one waits for. Of requests that are
// null MPI_Waitany says MPI_UNDEFINED in the last iterations, and here it is said in theirs.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/OrderCompletions.h"

#include "Comm/MPI/Persistent.h"
#include "Comm/Plugin/Utils/CalledFunction.h"
#include "Comm/Plugin/Utils/HandleConstants.h"
#include "Comm/Plugin/Utils/LoopExits.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace comm;

/// Whether requests that may be inactive but not null are made anywhere in the module.
static bool makesPersistent(const Module &module) {
  return any_of(module, [](const Function &function) {
    const mpi::Function *known = function.use_empty() ? nullptr : mpi::lookupLinkerName(function.getName());
    return known && (StringRef(known->name).contains("_init") || mpi::isPersistentStart(*known)) &&
           known->findRole(mpi::Role::Request, mpi::Direction::Out) >= 0;
  });
}

/// Whether what is stored there may be an active request, which the program puts into the array. No program keeps one
/// in a floating-point number, or a part of one; constants are none.
static bool mayStoreRequest(const StoreInst &store, const Constant &null) {
  Type *type = store.getValueOperand()->getType();
  const DataLayout &layout = store.getDataLayout();
  return !isa<Constant>(store.getValueOperand()) && !type->isFPOrFPVectorTy() &&
         layout.getTypeStoreSize(type) >= layout.getTypeStoreSize(null.getType());
}

/// Whether nobody else can tell in which order iterations run, as far as the instruction goes: it computes, or accesses
/// memory of the program that holds no request of the array.
static bool isApart(const Instruction &instruction, const Constant &null) {
  if (instruction.isVolatile() || instruction.isAtomic())
    return false;
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return !mayStoreRequest(*store, null);
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return !isa<MemIntrinsic>(intrinsic) && !intrinsic->mayThrow() &&
           (!intrinsic->mayHaveSideEffects() || isa<LifetimeIntrinsic>(intrinsic) || isa<DbgInfoIntrinsic>(intrinsic));
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    const mpi::Function *function = getCalledMPIFunction(*call);
    return (function && function->onlyAsks()) || (!function && !call->mayHaveSideEffects());
  }
  return true;
}

/// Whether the variable has no requests other than those that MPI puts there: none of other functions, which may be
/// persistent.
static bool isOfMPI(const AllocaInst &variable) {
  SmallVector<const Use *> uses(make_pointer_range(variable.uses()));
  SmallPtrSet<const User *, 8> seen;
  while (!uses.empty()) {
    const Use &use = *uses.pop_back_val();
    const auto *user = cast<Instruction>(use.getUser());
    if (isa<GetElementPtrInst, PHINode, SelectInst>(user)) {
      if (seen.insert(user).second)
        append_range(uses, make_pointer_range(user->uses()));
      continue;
    }
    const auto *store = dyn_cast<StoreInst>(user);
    bool isFilled = store && store->getValueOperand() != use.get() && isa<Constant>(store->getValueOperand());
    bool isHarmless = isFilled || isa<LoadInst, ICmpInst, LifetimeIntrinsic, MemSetInst>(user) ||
                      (isa<CallBase>(user) && getCalledMPIFunction(*user));
    if (!isHarmless)
      return false;
  }
  return true;
}

/// The call of MPI_Waitany, if the loop communicates by it alone, once in each iteration; null if not.
static CallInst *findWaitany(const Function &waitany, const Loop &loop, const LoopInfo &loops,
                             const DominatorTree &dominance, const Constant &null) {
  CallInst *found = nullptr;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      if (call && call->getCalledFunction() == &waitany) {
        if (found || loops.getLoopFor(block) != &loop)
          return nullptr;
        found = dyn_cast<CallInst>(&instruction);
        if (!found)
          return nullptr;
      } else if (!isApart(instruction, null)) {
        return nullptr;
      }
    }
  bool isEachTime = found && loop.getLoopLatch() && dominance.dominates(found->getParent(), loop.getLoopLatch());
  return isEachTime ? found : nullptr;
}

/// Whether the call runs as often as it has requests, all of them in one variable of the function.
static bool completesEach(const CallInst &wait, const Loop &loop, const DominatorTree &dominance,
                          ScalarEvolution &evolution) {
  Value *count = wait.getArgOperand(0), *requests = wait.getArgOperand(1);
  BasicBlock *exit = getOnlyExit(loop);
  const auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(requests));
  if (!exit || !loop.isLoopInvariant(count) || !loop.isLoopInvariant(requests) || !variable || !isOfMPI(*variable))
    return false;
  const SCEV *times = evolution.getExitCount(&loop, exit);
  if (isa<SCEVCouldNotCompute>(times))
    return false;
  // Before the loop is left, or after that is asked.
  bool isBefore = wait.getParent() == exit || dominance.dominates(wait.getParent(), exit);
  if (!isBefore && !dominance.dominates(exit, wait.getParent()))
    return false;
  if (isBefore)
    times = evolution.getAddExpr(times, evolution.getOne(times->getType()));
  const SCEV *wanted = evolution.getSCEV(count);
  if (evolution.getTypeSizeInBits(times->getType()) != evolution.getTypeSizeInBits(wanted->getType())) {
    Type *wide = evolution.getWiderType(times->getType(), wanted->getType());
    times = evolution.getNoopOrSignExtend(times, wide);
    wanted = evolution.getNoopOrSignExtend(wanted, wide);
  }
  // With no requests there are no iterations.
  return times == wanted || times == evolution.getSMaxExpr(evolution.getZero(wanted->getType()), wanted);
}

/// Makes the call wait for the request whose index is the number of the iteration.
static void order(CallInst &wait, const Loop &loop, FunctionCallee function, Constant &null, int64_t undefined) {
  Module &module = *wait.getModule();
  Type *integer = Type::getInt32Ty(module.getContext());
  IRBuilder<> builder(&*loop.getHeader()->begin());
  PHINode *turn = builder.CreatePHI(integer, 2, "turn");
  builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  Value *next = builder.CreateAdd(turn, ConstantInt::get(integer, 1), "", /*HasNUW=*/false, /*HasNSW=*/true);
  for (BasicBlock *from : predecessors(loop.getHeader()))
    turn->addIncoming(loop.contains(from) ? next : ConstantInt::get(integer, 0), from);
  builder.SetInsertPoint(&wait);
  Value *slot = builder.CreateInBoundsGEP(null.getType(), wait.getArgOperand(1),
                                          {builder.CreateSExt(turn, builder.getInt64Ty())});
  Value *isNull = builder.CreateICmpEQ(builder.CreateLoad(null.getType(), slot), &null);
  Value *index = builder.CreateSelect(isNull, ConstantInt::getSigned(integer, undefined), turn);
  CallInst *other = builder.CreateCall(function, {slot, wait.getArgOperand(3)});
  other->setDebugLoc(wait.getDebugLoc());
  builder.CreateStore(index, wait.getArgOperand(2));
  wait.replaceAllUsesWith(other);
  wait.eraseFromParent();
}

/// MPI_Wait, if it and MPI_Waitany are declared as the standard has them; null if not, or if the program defines it.
static FunctionCallee getWait(Module &module, const Function &waitany) {
  Type *pointer = PointerType::getUnqual(module.getContext()), *integer = Type::getInt32Ty(module.getContext());
  FunctionCallee wait = module.getOrInsertFunction("MPI_Wait", FunctionType::get(integer, {pointer, pointer}, false));
  const auto *function = dyn_cast<Function>(wait.getCallee());
  bool isUsual = function && function->isDeclaration() && function->getFunctionType() == wait.getFunctionType() &&
                 waitany.getFunctionType() == FunctionType::get(integer, {integer, pointer, pointer, pointer}, false);
  return isUsual ? wait : FunctionCallee();
}

bool comm::orderCompletions(Function &function, const mpi::ABI &abi, FunctionAnalysisManager &analyses) {
  Module &module = *function.getParent();
  const Function *waitany = module.getFunction("MPI_Waitany");
  auto isHere = [&](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    return instruction && instruction->getFunction() == &function;
  };
  if (!waitany || !getMPIFunction(*waitany) || none_of(waitany->users(), isHere) || makesPersistent(module))
    return false;
  Constant *null = getPredefinedHandle(module, abi, "MPI_REQUEST_NULL");
  std::optional<int64_t> undefined = abi.getConstant("MPI_UNDEFINED");
  if (!null || !undefined)
    return false;
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const auto &dominance = analyses.getResult<DominatorTreeAnalysis>(function);
  SmallVector<std::pair<CallInst *, Loop *>> found;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (CallInst *call = findWaitany(*waitany, *loop, loops, dominance, *null);
        call && completesEach(*call, *loop, dominance, evolution))
      found.push_back({call, loop});
  FunctionCallee wait = found.empty() ? FunctionCallee() : getWait(module, *waitany);
  if (!wait)
    return false;
  for (auto [call, loop] : found)
    order(*call, *loop, wait, *null, *undefined);
  analyses.invalidate(function, PreservedAnalyses::none());
  return true;
}
