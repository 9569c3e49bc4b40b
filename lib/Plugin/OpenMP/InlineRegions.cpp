//===- InlineRegions.cpp - Worksharing loops as ordinary loops ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang compiles `#pragma omp parallel for` with a static schedule to this:
//
//   region(thread, ..., values and addresses...):
//     lower = 0, upper = count - 1
//     __kmpc_for_static_init(..., thread, static, &last, &lower, &upper, &stride, 1, 1)
//     for (i = lower; i <= min(upper, count - 1); ++i) body
//     __kmpc_for_static_fini(..., thread)
//
// Without the two calls, this is the loop over all iterations. It may stand for the region if an iteration does the
// same whichever thread runs it and whichever other iterations that thread runs: it knows neither its thread nor where
// the thread's part begins and ends, and passes nothing to the next iteration except for the induction variable. Of
// several such loops in a row, each becomes a region of its own, which all threads leave before the next one begins, as
// if there were a barrier.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/OpenMP/WorksharingLoops.h"

#include "Comm/Analysis/Memory/LLVMAnalysisManagers.h"
#include "Comm/Analysis/Memory/OpenMP.h"
#include "Comm/Plugin/Utils/InstructionNumber.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace comm;

namespace {
/// The arguments of __kmpc_for_static_init_*.
enum StaticInit : unsigned { Place, Thread, Schedule, IsLast, Lower, Upper, Stride, Step, Chunk, NumArguments };

/// A worksharing loop of a region.
struct SharedLoop {
  explicit SharedLoop(CallInst *begin) : begin(begin) {}
  Value *getArgument(StaticInit argument) const { return begin->getArgOperand(argument); }

  CallInst *begin;
  Loop *loop = nullptr;
  LoadInst *lower = nullptr;
  /// Values computed before the loop from the bounds of a thread's part.
  SmallSetVector<Instruction *, 16> bounds;
};

/// Turns a region into loops.
class Serializer {
public:
  explicit Serializer(Function &region)
      : region(region), library(region.getParent()->getTargetTriple()), functions(library, &region),
        assumptions(region), dominance(region), loops(dominance),
        evolution(region, functions, assumptions, dominance, loops) {}

  bool isWorksharing();
  void dropRuntime();
  bool countsIterations();
  ArrayRef<SharedLoop> getLoops() const { return shared; }

private:
  bool isKnown(Instruction &inst);
  bool isHarmless(const CallBase &call) const;
  bool findVariables(SharedLoop &part, SmallPtrSetImpl<Value *> &all);
  bool isOnlyForRuntime(const Argument &thread) const;
  bool findLoop(SharedLoop &part);
  bool isLoop(const Loop &loop) const;
  bool isOutsideHarmless() const;
  bool dependsOnNumberAlone(const SharedLoop &part);
  bool isOfNumber(Instruction &value, const SharedLoop &part);
  bool isAboutPart(Instruction &inst, const SharedLoop &part);
  bool isOfRuntime(const User *user) const {
    return is_contained(runtime, user) || any_of(shared, [&](const SharedLoop &part) { return part.begin == user; });
  }

  Function &region;
  TargetLibraryInfoImpl library;
  TargetLibraryInfo functions;
  AssumptionCache assumptions;
  DominatorTree dominance;
  LoopInfo loops;
  ScalarEvolution evolution;

  SmallVector<SharedLoop, 1> shared;
  /// Ends of loops, barriers, and calls that ask for the thread number. Outside of the loops, the region does nothing
  /// that threads might wait for.
  SmallVector<CallInst *, 4> runtime;
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Whether the function configures its next fork. The configuration would be lost if a split loop forks more often.
static bool setsUpForks(const Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    const auto *call = dyn_cast<CallBase>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getName().starts_with("__kmpc_push_") ||
                      callee->getName().starts_with("__kmpc_serialized_parallel"));
  });
}

/// Returns whether a team runs the function itself.
static bool isRegion(const Function &function) {
  return any_of(function.uses(), [](const Use &use) {
    AbstractCallSite site(&use);
    return site && site.isCallbackCall();
  });
}

Function *comm::findWorksharingRegion(const CallInst &fork) {
  constexpr unsigned numOwn = 3; // of __kmpc_fork_call
  const Function *callee = fork.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->getName() != "__kmpc_fork_call" || fork.isMustTailCall() ||
      fork.hasOperandBundles())
    return nullptr;
  std::optional<AbstractCallSite> site = findRegionCall(fork);
  Function *region = site ? site->getCalledFunction() : nullptr;
  bool fits = region && !region->isDeclaration() && !region->hasAvailableExternallyLinkage() &&
              region->getReturnType()->isVoidTy() && region->arg_size() + numOwn == fork.arg_size() + 2 &&
              isa<GlobalVariable>(fork.getArgOperand(0));
  for (unsigned i = 2; fits && i < region->arg_size(); ++i)
    fits = region->getArg(i)->getType() == fork.getArgOperand(numOwn + i - 2)->getType() &&
           !region->getArg(i)->hasPassPointeeByValueCopyAttr();
  if (!fits || setsUpForks(*fork.getFunction()) || isRegion(*fork.getFunction()))
    return nullptr;
  bool begins = false;
  for (const Instruction &inst : instructions(*region)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    const Function *function = call ? call->getCalledFunction() : nullptr;
    // The program's own functions may do anything, whatever their names.
    if (call && (!function || !function->isDeclaration()))
      return nullptr;
    begins |= function && function->getName().starts_with("__kmpc_for_static_init_");
  }
  return begins ? region : nullptr;
}

/// Returns whether the call is to a function of the math library, which computes from numbers only. It may set errno,
/// which is thread-local.
static bool isMath(const CallBase &call, const TargetLibraryInfo &functions) {
  LibFunc function;
  auto isNumber = [](Type *type) { return type->isFloatingPointTy() || type->isIntegerTy(); };
  const Function *callee = call.getCalledFunction();
  return callee && !call.isNoBuiltin() && functions.getLibFunc(*callee, function) && functions.has(function) &&
         callee->getReturnType()->isFloatingPointTy() && !callee->getName().contains("gamma") &&
         all_of(callee->getFunctionType()->params(), isNumber) && call.doesNotThrow();
}

/// Returns whether a call does the same in any thread.
bool Serializer::isHarmless(const CallBase &call) const {
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (isa<DbgInfoIntrinsic, MemIntrinsic, AssumeInst, NoAliasScopeDeclInst>(intrinsic) ||
        intrinsic->isLifetimeStartOrEnd())
      return true;
    // Arithmetic, but not queries of the thread pointer or frame.
    return call.hasFnAttr(Attribute::Speculatable) && call.doesNotAccessMemory() && !call.isConvergent() &&
           intrinsic->getIntrinsicID() != Intrinsic::threadlocal_address;
  }
  // `doesNotAccessMemory` alone does not suffice: pthread_self() is `const`, and so are its callers.
  return !call.isMustTailCall() && !call.hasOperandBundles() && isMath(call, functions);
}

/// Returns whether this is a thread-local variable or memory of a segment, which differs between threads.
static bool isThreadsOwn(const Value &value) {
  if (value.getType()->isPtrOrPtrVectorTy() && value.getType()->getPointerAddressSpace() != 0)
    return true;
  const auto *variable = dyn_cast<GlobalVariable>(value.stripInBoundsOffsets());
  return variable && variable->isThreadLocal();
}

bool Serializer::isKnown(Instruction &inst) {
  if (inst.isAtomic() || inst.isVolatile() || inst.isEHPad() || isa<FenceInst, VAArgInst>(inst))
    return false;
  if (inst.isTerminator() && !isa<BranchInst, SwitchInst, ReturnInst>(inst))
    return false;
  if (any_of(inst.operands(), [](const Use &use) { return isThreadsOwn(*use.get()); }))
    return false;
  auto *call = dyn_cast<CallInst>(&inst);
  if (!call)
    return true;
  StringRef name = call->getCalledFunction() ? call->getCalledFunction()->getName() : StringRef();
  bool isDeclared = call->getCalledFunction() && call->getCalledFunction()->isDeclaration();
  if (isDeclared && name.starts_with("__kmpc_for_static_init_")) {
    shared.emplace_back(call);
    return call->arg_size() == NumArguments;
  }
  if (isDeclared && is_contained({"__kmpc_for_static_fini", "__kmpc_barrier", "__kmpc_global_thread_num"}, name)) {
    runtime.push_back(call);
    return true;
  }
  return isHarmless(*call);
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

/// Collects the variables through which the runtime passes the thread its part. Fails if the region uses them for
/// anything else or reads others than the bounds.
bool Serializer::findVariables(SharedLoop &part, SmallPtrSetImpl<Value *> &all) {
  auto isConstant = [&](StaticInit argument, uint64_t expected) {
    auto *value = dyn_cast<ConstantInt>(part.getArgument(argument));
    return value && value->equalsInt(expected);
  };
  if (!isConstant(Schedule, kStaticSchedule) || !isConstant(Step, 1) || !isa<GlobalVariable>(part.getArgument(Place)))
    return false;
  for (StaticInit argument : {IsLast, Lower, Upper, Stride}) {
    auto *variable = dyn_cast<AllocaInst>(part.getArgument(argument));
    if (!variable || !variable->isStaticAlloca() || !all.insert(variable).second)
      return false;
    Type *type = variable->getAllocatedType();
    for (User *user : variable->users()) {
      auto *load = dyn_cast<LoadInst>(user);
      auto *store = dyn_cast<StoreInst>(user);
      auto *intrinsic = dyn_cast<IntrinsicInst>(user);
      if (load) {
        bool isBound = argument == Lower || argument == Upper;
        if (!isBound || load->getType() != type || !dominance.dominates(part.begin, load) ||
            (argument == Lower && part.lower))
          return false;
        if (argument == Lower)
          part.lower = load;
      } else if (store) {
        // A later store clamps the upper bound for the thread's part.
        if (store->getPointerOperand() != variable || store->getValueOperand() == variable ||
            store->getValueOperand()->getType() != type ||
            (argument != Upper && !dominance.dominates(store, part.begin)))
          return false;
      } else if (user != part.begin && !(intrinsic && intrinsic->isLifetimeStartOrEnd())) {
        return false;
      }
    }
  }
  return part.lower;
}

/// Whether the thread number is only passed to the runtime.
bool Serializer::isOnlyForRuntime(const Argument &thread) const {
  auto isHanded = [&](const Use &use) { return isOfRuntime(use.getUser()) && use.getOperandNo() == Thread; };
  return all_of(thread.users(),
                [&](const User *user) { return isa<LoadInst>(user) && all_of(user->uses(), isHanded); }) &&
         all_of(runtime, [&](const CallInst *call) { return all_of(call->uses(), isHanded); });
}

/// Whether the loop has one exit, no runtime calls and no values carried from one iteration to the next.
bool Serializer::isLoop(const Loop &loop) const {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() || loop.getExitingBlock() != loop.getLoopLatch() ||
      !isa<BranchInst>(loop.getLoopLatch()->getTerminator()))
    return false;
  return all_of(loop.blocks(), [&](const BasicBlock *block) {
    return all_of(*block, [&](const Instruction &inst) {
      return !isOfRuntime(&inst) &&
             all_of(inst.users(), [&](const User *user) { return loop.contains(cast<Instruction>(user)); });
    });
  });
}

/// Finds the loop that the bounds belong to.
bool Serializer::findLoop(SharedLoop &part) {
  for (StaticInit variable : {Lower, Upper})
    for (User *user : part.getArgument(variable)->users())
      if (auto *load = dyn_cast<LoadInst>(user))
        part.bounds.insert(load);
  for (size_t i = 0; i < part.bounds.size(); ++i) {
    if (loops.getLoopFor(part.bounds[i]->getParent()))
      return false;
    for (User *user : part.bounds[i]->users()) {
      auto *inst = cast<Instruction>(user);
      Loop *inside = loops.getLoopFor(inst->getParent());
      if (!inside) {
        part.bounds.insert(inst);
        continue;
      }
      inside = inside->getOutermostLoop();
      if (part.loop && part.loop != inside)
        return false;
      part.loop = inside;
    }
  }
  return part.loop && isLoop(*part.loop) && dominance.dominates(part.begin, part.loop->getHeader()->getTerminator());
}

/// Whether the region changes only its own variables outside of the loops.
bool Serializer::isOutsideHarmless() const {
  return all_of(instructions(region), [&](const Instruction &inst) {
    if (loops.getLoopFor(inst.getParent()) || !inst.mayWriteToMemory() || isOfRuntime(&inst))
      return true;
    if (const auto *store = dyn_cast<StoreInst>(&inst))
      return isa<AllocaInst>(store->getPointerOperand());
    return isa<IntrinsicInst>(inst) && !isa<MemIntrinsic>(inst);
  });
}

/// Whether the value is computed from the iteration number in the whole loop and from values that all threads have.
bool Serializer::isOfNumber(Instruction &value, const SharedLoop &part) {
  if (!value.getType()->isIntegerTy())
    return false;
  const auto *values = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&value));
  if (!values || values->getLoop() != part.loop || !values->isAffine())
    return false;
  const auto *step = dyn_cast<SCEVConstant>(values->getStepRecurrence(evolution));
  if (!step)
    return false;
  const SCEV *first = evolution.getSCEV(part.lower);
  auto isApart = [&](const SCEV *from) {
    const SCEV *offset = evolution.getMinusSCEV(values->getStart(), evolution.getMulExpr(step, from));
    return !SCEVExprContains(offset, [&](const SCEV *term) {
      const auto *unknown = dyn_cast<SCEVUnknown>(term);
      auto *inst = unknown ? dyn_cast<Instruction>(unknown->getValue()) : nullptr;
      return inst && part.bounds.contains(inst);
    });
  };
  unsigned bits = evolution.getTypeSizeInBits(value.getType()),
           ofLower = evolution.getTypeSizeInBits(part.lower->getType());
  if (bits == ofLower)
    return isApart(first);
  if (bits < ofLower)
    return isApart(evolution.getTruncateExpr(first, value.getType()));
  return isApart(evolution.getSignExtendExpr(first, value.getType())) ||
         isApart(evolution.getZeroExtendExpr(first, value.getType()));
}

/// Whether the instruction in the loop only tests for the end of the thread's part or computes the iteration number in
/// the whole loop.
bool Serializer::isAboutPart(Instruction &inst, const SharedLoop &part) {
  bool ends =
      isa<ICmpInst>(inst) && inst.hasOneUse() && *inst.user_begin() == part.loop->getLoopLatch()->getTerminator();
  return ends || isOfNumber(inst, part);
}

/// Whether the bounds of a part only begin and end the loop. Clang counts from the first iteration of the part, flang
/// from 0.
bool Serializer::dependsOnNumberAlone(const SharedLoop &part) {
  // Nor may a branch on them choose the loop's inputs.
  for (BasicBlock &block : region)
    if (!loops.getLoopFor(&block) && !block.phis().empty() && dominance.dominates(part.begin, &block))
      return false;
  SmallVector<Instruction *> users;
  for (Instruction *bound : part.bounds)
    for (User *user : bound->users())
      if (auto *inst = cast<Instruction>(user); part.loop->contains(inst))
        users.push_back(inst);
  // Replace the iteration number within the part.
  for (PHINode &phi : part.loop->getHeader()->phis()) {
    if (isOfNumber(phi, part))
      continue;
    auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(part.loop->getLoopLatch()));
    const auto *counts =
        evolution.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)) : nullptr;
    bool isCounter = next && counts && counts->getLoop() == part.loop && isa<SCEVConstant>(counts->getStart()) &&
                     counts->isAffine() && isa<SCEVConstant>(counts->getStepRecurrence(evolution));
    if (!isCounter)
      return false;
    for (Instruction *number : {static_cast<Instruction *>(&phi), static_cast<Instruction *>(next)})
      for (User *user : number->users())
        if (user != &phi && user != next)
          users.push_back(cast<Instruction>(user));
  }
  return all_of(users, [&](Instruction *user) { return isAboutPart(*user, part); });
}

bool Serializer::isWorksharing() {
  for (Instruction &inst : instructions(region))
    if (!isKnown(inst))
      return false;
  SmallPtrSet<Value *, 8> variables;
  SmallPtrSet<Loop *, 2> found;
  for (SharedLoop &part : shared)
    if (!findVariables(part, variables) || !findLoop(part) || !found.insert(part.loop).second ||
        !dependsOnNumberAlone(part))
      return false;
  return !shared.empty() && loops.getTopLevelLoops().size() == shared.size() &&
         none_of(instructions(region),
                 [&](Instruction &inst) { return isa<AllocaInst>(inst) && !variables.contains(&inst); }) &&
         isOnlyForRuntime(*region.getArg(0)) && region.getArg(1)->use_empty() && isOutsideHarmless();
}

/// Whether each loop's trip count is known before the loop, which outlining requires.
bool Serializer::countsIterations() {
  return all_of(loops, [&](Loop *loop) { return evolution.hasLoopInvariantBackedgeTakenCount(loop); });
}

/// Removes the runtime calls: a team of one thread executes all iterations.
void Serializer::dropRuntime() {
  SmallVector<AllocaInst *> variables;
  for (const SharedLoop &part : shared)
    for (StaticInit argument : {IsLast, Lower, Upper, Stride})
      variables.push_back(cast<AllocaInst>(part.getArgument(argument)));
  for (const SharedLoop &part : shared)
    part.begin->eraseFromParent();
  // First the calls that receive the thread number, then those that ask for it.
  SmallVector<CallInst *> asking(
      make_filter_range(runtime, [](CallInst *call) { return !call->getType()->isVoidTy(); }));
  for (CallInst *call : runtime)
    if (call->getType()->isVoidTy())
      call->eraseFromParent();
  for (CallInst *call : asking)
    call->eraseFromParent();
  for (User *user : make_early_inc_range(region.getArg(0)->users()))
    cast<Instruction>(user)->eraseFromParent();
  erase_if(variables, [](AllocaInst *variable) { return !isAllocaPromotable(variable); });
  PromoteMemToReg(variables, dominance, &assumptions);
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Folds instructions that became constant.
static void simplify(Function &function) {
  const DataLayout &layout = function.getDataLayout();
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock &block : function)
      for (Instruction &inst : make_early_inc_range(block)) {
        Value *known = inst.use_empty() ? nullptr : simplifyInstruction(&inst, SimplifyQuery(layout, &inst));
        if (known)
          inst.replaceAllUsesWith(known);
        bool isDead = isInstructionTriviallyDead(&inst);
        if (isDead)
          inst.eraseFromParent();
        changed |= known || isDead;
      }
  }
}

/// Folds the guard that tests whether a thread's part has iterations: with one thread, the loop has some.
static void decideGuards(Function &function) {
  {
    TargetLibraryInfoImpl library(function.getParent()->getTargetTriple());
    TargetLibraryInfo functions(library);
    AssumptionCache assumptions(function);
    DominatorTree dominance(function);
    LoopInfo loops(dominance);
    ScalarEvolution evolution(function, functions, assumptions, dominance, loops);
    for (BasicBlock &block : function) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      auto *condition = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
      if (!condition || loops.getLoopFor(&block) || !evolution.isSCEVable(condition->getOperand(0)->getType()))
        continue;
      std::optional<bool> known =
          evolution.evaluatePredicateAt(condition->getPredicate(), evolution.getSCEV(condition->getOperand(0)),
                                        evolution.getSCEV(condition->getOperand(1)), branch);
      if (known)
        branch->setCondition(ConstantInt::getBool(function.getContext(), *known));
    }
  }
  for (BasicBlock &block : function)
    ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
  removeUnreachableBlocks(function);
  for (BasicBlock &block : make_early_inc_range(function))
    MergeBlockIntoPredecessor(&block);
  simplify(function);
}

/// Fills in what the way back needs to know about the loop; false if an instruction has no number.
static bool describe(const SharedLoop &part, WorksharingLoop &loop) {
  loop.loopPlace = part.getArgument(Place)->getName().str();
  loop.latch = getInstructionNumber(*part.loop->getLoopLatch()->getTerminator());
  for (BasicBlock *block : part.loop->blocks())
    for (Instruction &inst : *block) {
      bool isCall = isa<CallBase>(inst) && !isa<IntrinsicInst>(inst);
      if (!isCall && !isa<StoreInst, MemIntrinsic>(inst))
        continue;
      unsigned number = getInstructionNumber(inst);
      if (number == 0)
        return false;
      (isCall ? loop.calls : loop.writes).push_back(number);
    }
  return loop.latch != 0;
}

std::vector<WorksharingLoop> comm::makeSerial(Function &region) {
  std::vector<WorksharingLoop> made;
  {
    Serializer serializer(region);
    if (!serializer.isWorksharing())
      return {};
    for (const SharedLoop &part : serializer.getLoops()) {
      WorksharingLoop &loop = made.emplace_back();
      loop.region = region.getName().str();
      if (!describe(part, loop))
        return {};
    }
    serializer.dropRuntime();
  }
  region.setPersonalityFn(nullptr); // checked: nothing throws
  simplify(region);
  decideGuards(region);
  // A loop with one iteration may be gone.
  Serializer serial(region);
  bool hasVariables = any_of(instructions(region), [](const Instruction &inst) { return isa<AllocaInst>(inst); });
  return hasVariables || !serial.countsIterations() ? std::vector<WorksharingLoop>() : made;
}

bool comm::inlineRegion(CallInst &fork, Function &region) {
  Function &function = *fork.getFunction();
  SmallVector<Value *> arguments{PoisonValue::get(region.getArg(0)->getType()),
                                 PoisonValue::get(region.getArg(1)->getType())};
  for (unsigned i = 2; i < region.arg_size(); ++i)
    arguments.push_back(fork.getArgOperand(i + 1));
  auto *call = CallInst::Create(&region, arguments, "", fork.getIterator());
  call->setCallingConv(region.getCallingConv());
  call->setDebugLoc(fork.getDebugLoc());
  // The addresses of the thread numbers are gone; drop the attributes that describe them.
  for (unsigned i : {0u, 1u})
    region.setAttributes(region.getAttributes().removeParamAttributes(region.getContext(), i));
  InlineFunctionInfo info;
  if (!InlineFunction(*call, info).isSuccess()) {
    call->eraseFromParent();
    return false;
  }
  fork.eraseFromParent();
  // Instruction numbers are not source locations.
  DISubprogram *numbers = function.getSubprogram();
  for (Instruction &inst : instructions(function))
    if (const DebugLoc &place = inst.getDebugLoc(); place && (place.getInlinedAt() || place.getCol() != 0))
      inst.setDebugLoc(
          DebugLoc(place.getLine() ? DILocation::get(function.getContext(), place.getLine(), 0, numbers) : nullptr));
  return true;
}

void comm::promoteSharedVariables(Function &function) {
  PassBuilder builder;
  LLVMAnalysisManagers managers;
  managers.registerAll(builder);
  SROAPass(SROAOptions::PreserveCFG).run(function, managers.functions);
}
