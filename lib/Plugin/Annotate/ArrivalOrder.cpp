//===- ArrivalOrder.cpp - Loops of MPI_Waitany ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/ArrivalOrder.h"

#include "Comm/Plugin/Annotate/Simplify.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace comm;

static constexpr StringLiteral kWaitany = "MPI_Waitany", kWait = "MPI_Wait";

namespace {
/// A loop that completes `count` requests by as many calls.
struct ArrivalLoop {
  Loop *loop;
  CallInst *call;
  Value *requests, *status;
  /// The variable for the index of what is complete.
  AllocaInst *index;
  /// The type of a request.
  Type *handle;
};

class ArrivalLoops {
public:
  ArrivalLoops(LoopInfo &loops, ScalarEvolution &evolution, DominatorTree &dominance, AAResults &aliases)
      : loops(loops), evolution(evolution), dominance(dominance), aliases(aliases) {}

  std::optional<ArrivalLoop> match(CallInst &call) const;

private:
  bool isRepeatedFor(const Loop &loop, Value *count) const;
  bool alwaysHasIndex(const ArrivalLoop &arrival) const;
  bool onlyMovesData(const ArrivalLoop &arrival) const;
  static Type *findHandleType(const Value *requests);

  LoopInfo &loops;
  ScalarEvolution &evolution;
  DominatorTree &dominance;
  AAResults &aliases;
};
} // namespace

/// Returns whether the loop runs as often as that number says, and leaves at its end alone.
bool ArrivalLoops::isRepeatedFor(const Loop &loop, Value *count) const {
  BasicBlock *latch = loop.getLoopLatch();
  const SCEV *taken = latch && loop.getExitingBlock() == latch ? evolution.getBackedgeTakenCount(&loop)
                                                               : evolution.getCouldNotCompute();
  if (isa<SCEVCouldNotCompute>(taken))
    return false;
  const SCEV *wanted = evolution.getSCEV(count);
  auto isOneMore = [&](const SCEV *a, const SCEV *b) { return evolution.getMinusSCEV(a, b)->isOne(); };
  // A counter that is narrower than the number may wrap around before.
  unsigned bits = evolution.getTypeSizeInBits(taken->getType());
  if (bits < evolution.getTypeSizeInBits(wanted->getType()))
    return isOneMore(wanted, evolution.getZeroExtendExpr(taken, wanted->getType()));
  return isOneMore(evolution.getNoopOrSignExtend(wanted, taken->getType()), taken) ||
         isOneMore(evolution.getNoopOrZeroExtend(wanted, taken->getType()), taken);
}

/// Returns whether only MPI_Waitany and loads use the variable.
static bool isOnlyIndex(const AllocaInst &variable, const CallInst &call) {
  return all_of(variable.users(), [&](const User *user) {
    if (auto *load = dyn_cast<LoadInst>(user))
      return load->getType()->isIntegerTy(32) && !load->isVolatile();
    return user == &call || cast<Instruction>(user)->isLifetimeStartOrEnd();
  });
}

/// Returns whether the address is in an object that begins less than |MPI_UNDEFINED| elements before index 0.
static bool isNearBeginning(const GetElementPtrInst &place, const Value *index) {
  const DataLayout &layout = place.getDataLayout();
  unsigned bits = layout.getIndexTypeSizeInBits(place.getType());
  SmallMapVector<Value *, APInt, 4> strides;
  APInt begin(bits, 0);
  if (!place.collectOffset(layout, bits, strides, begin) || strides.size() != 1 || strides.front().first != index)
    return false;
  const Value *object = place.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, begin,
                                                                                     /*AllowNonInbounds=*/true);
  // Other functions may return pointers into what they allocate.
  auto *call = dyn_cast<CallBase>(object);
  bool isObject = isa<AllocaInst, GlobalVariable>(object) || (call && call->hasFnAttr(Attribute::AllocKind));
  // In all implementations (lib/MPI/Bindings), and in the standard ABI.
  constexpr int64_t undefined = 32766;
  const APInt &stride = strides.front().second;
  return isObject && stride.isStrictlyPositive() && begin.isNonNegative() && begin.slt(stride * APInt(bits, undefined));
}

/// Returns whether each iteration accesses an array at the index. Then there is one: if no request were left, it would
/// be MPI_UNDEFINED, which is outside of the array, and requests that are null or inactive would come last.
bool ArrivalLoops::alwaysHasIndex(const ArrivalLoop &arrival) const {
  const BasicBlock *latch = arrival.loop->getLoopLatch();
  auto runsAlways = [&](const Instruction *instruction) {
    return arrival.loop->contains(instruction) && dominance.dominates(instruction->getParent(), latch);
  };
  auto isAccessed = [&](const Value *place) {
    return any_of(place->users(), [&](const User *user) {
      return getLoadStorePointerOperand(user) == place && runsAlways(cast<Instruction>(user));
    });
  };
  auto isSubscript = [&](const Value *index) {
    return any_of(index->users(), [&](const User *user) {
      auto *place = dyn_cast<GetElementPtrInst>(user);
      return place && place->isInBounds() && isNearBeginning(*place, index) && isAccessed(place);
    });
  };
  return any_of(arrival.index->users(), [&](const User *user) {
    auto *load = dyn_cast<LoadInst>(user);
    return load && dominance.dominates(arrival.call, load) &&
           (isSubscript(load) || any_of(load->users(), [&](const User *extended) {
              return isa<SExtInst, ZExtInst>(extended) && isSubscript(extended);
            }));
  });
}

/// Returns whether the loop does nothing but what other processes and threads do not notice, and leaves requests alone.
bool ArrivalLoops::onlyMovesData(const ArrivalLoop &arrival) const {
  MemoryLocation requests = MemoryLocation::getBeforeOrAfter(arrival.requests);
  for (BasicBlock *block : arrival.loop->blocks())
    for (Instruction &instruction : *block) {
      if (&instruction == arrival.call || isa<DbgInfoIntrinsic>(instruction) || instruction.isLifetimeStartOrEnd())
        continue;
      if (getCalledMPIFunction(instruction) || instruction.isAtomic() || instruction.isVolatile() ||
          instruction.mayThrow() || !instruction.willReturn())
        return false;
      auto *call = dyn_cast<CallBase>(&instruction);
      if (call && !isa<MemIntrinsic>(call) && !call->hasFnAttr(Attribute::NoSync))
        return false;
      // A number is no request, as far as types tell.
      auto *store = dyn_cast<StoreInst>(&instruction);
      bool isNumber =
          store && store->getValueOperand()->getType()->isFPOrFPVectorTy() && store->hasMetadata(LLVMContext::MD_tbaa);
      if (instruction.mayWriteToMemory() && !isNumber && isModSet(aliases.getModRefInfo(&instruction, requests)))
        return false;
    }
  return true;
}

/// Returns the type of a request, if only messages and collectives that MPI functions start are in the array. (The
/// program itself says when generalized requests are complete, which may be when another one is.) All handles of an
/// implementation are alike.
Type *ArrivalLoops::findHandleType(const Value *requests) {
  auto *array = dyn_cast<AllocaInst>(getUnderlyingObject(requests));
  if (!array)
    return nullptr;
  Type *handle = nullptr;
  SmallVector<const Use *> open;
  auto addUses = [&](const Value &value) {
    for (const Use &use : value.uses())
      open.push_back(&use);
  };
  addUses(*array);
  while (!open.empty()) {
    const Use &use = *open.pop_back_val();
    const auto *user = cast<Instruction>(use.getUser());
    if (isa<GetElementPtrInst>(user)) {
      addUses(*user);
    } else if (auto *store = dyn_cast<StoreInst>(user)) {
      if (store->getPointerOperand() != use.get() || !isa<Constant>(store->getValueOperand()))
        return nullptr;
    } else if (const mpi::Param *param = getMPIParam(use); param && param->role == mpi::Role::Request) {
      const mpi::Function *called = getCalledMPIFunction(*user);
      int comm = called->findRole(mpi::Role::Comm, mpi::Direction::In);
      if (param->direction == mpi::Direction::Out && comm < 0)
        return nullptr;
      if (param->direction == mpi::Direction::Out)
        handle = cast<CallBase>(user)->getArgOperand(comm)->getType();
    } else if (!isa<LoadInst>(user) && !user->isLifetimeStartOrEnd()) {
      return nullptr;
    }
  }
  return handle;
}

std::optional<ArrivalLoop> ArrivalLoops::match(CallInst &call) const {
  Loop *loop = loops.getLoopFor(call.getParent());
  BasicBlock *latch = loop ? loop->getLoopLatch() : nullptr;
  if (!latch || !loop->getLoopPreheader() || !dominance.dominates(call.getParent(), latch))
    return std::nullopt;
  Value *count = call.getArgOperand(0), *requests = call.getArgOperand(1);
  auto *index = dyn_cast<AllocaInst>(call.getArgOperand(2));
  if (!index || !isOnlyIndex(*index, call) || !loop->isLoopInvariant(count) || !loop->isLoopInvariant(requests) ||
      !isRepeatedFor(*loop, count))
    return std::nullopt;
  ArrivalLoop arrival{loop, &call, requests, call.getArgOperand(3), index, findHandleType(requests)};
  if (!arrival.handle || !alwaysHasIndex(arrival) || !onlyMovesData(arrival))
    return std::nullopt;
  return arrival;
}

/// Replaces the call by MPI_Wait for the request of that iteration.
static void replace(const ArrivalLoop &arrival) {
  Loop &loop = *arrival.loop;
  CallInst &call = *arrival.call;
  Module &module = *call.getModule();
  IRBuilder<> builder(&loop.getHeader()->front());
  PHINode *number = builder.CreatePHI(builder.getInt64Ty(), 2, "arrival");
  builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  number->addIncoming(builder.getInt64(0), loop.getLoopPreheader());
  number->addIncoming(builder.CreateNUWAdd(number, builder.getInt64(1)), loop.getLoopLatch());
  builder.SetInsertPoint(&call);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  Value *request = builder.CreateInBoundsGEP(arrival.handle, arrival.requests, number);
  FunctionCallee wait = module.getOrInsertFunction(
      kWait, FunctionType::get(call.getType(), {request->getType(), arrival.status->getType()}, /*isVarArg=*/false));
  CallInst *one = builder.CreateCall(wait, {request, arrival.status});
  one->setDoesNotThrow();
  builder.CreateStore(builder.CreateTrunc(number, builder.getInt32Ty()), arrival.index);
  call.replaceAllUsesWith(one);
  call.eraseFromParent();
}

/// Returns whether the module's MPI_Waitany is MPI's.
static bool hasWaitany(const Module &module) {
  const Function *waitany = module.getFunction(kWaitany);
  return waitany && getMPIFunction(*waitany) && waitany->arg_size() == 4;
}

/// Marks loops that keep their form until the functions that call them have been seen.
static constexpr StringLiteral kKept = "comm.arrivals", kNotUnrolled = "llvm.loop.unroll.disable";

static void keepForm(Loop &loop) {
  if (hasUnrollTransformation(&loop) != TM_Unspecified)
    return;
  for (StringLiteral name : {kKept, kNotUnrolled})
    addStringMetadataToLoop(&loop, name.data(), 1);
}

static bool releaseForm(Loop &loop) {
  if (!findOptionMDForLoop(&loop, kKept))
    return false;
  loop.setLoopID(
      makePostTransformationMetadata(loop.getHeader()->getContext(), loop.getLoopID(), {kKept, kNotUnrolled}, {}));
  return true;
}

static bool waitsForAny(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == kWaitany;
}

bool comm::waitsForAny(const Loop &loop, const LoopInfo &loops) {
  return hasWaitany(*loop.getHeader()->getModule()) && any_of(loop.blocks(), [&](const BasicBlock *block) {
           return loops.getLoopFor(block) == &loop &&
                  any_of(*block, [](const Instruction &instruction) { return ::waitsForAny(instruction); });
         });
}

bool comm::orderArrivals(Loop &loop, LoopStandardAnalysisResults &analyses) {
  if (analyses.MSSA)
    return false; // it would have to be updated
  ArrivalLoops arrivals(analyses.LI, analyses.SE, analyses.DT, analyses.AA);
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (::waitsForAny(instruction))
        if (std::optional<ArrivalLoop> arrival = arrivals.match(cast<CallInst>(instruction));
            arrival && arrival->loop == &loop) {
          replace(*arrival);
          releaseForm(loop);
          analyses.SE.forgetLoop(&loop);
          return true; // the loop has one such call
        }
  keepForm(loop);
  return false;
}

bool comm::orderArrivals(Function &function, FunctionAnalysisManager &analyses) {
  if (!hasWaitany(*function.getParent()))
    return false;
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    changed |= releaseForm(*loop);
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (::waitsForAny(instruction))
      calls.push_back(cast<CallInst>(&instruction));
  SmallVector<ArrivalLoop> found;
  if (!calls.empty()) {
    ArrivalLoops arrivals(loops, analyses.getResult<ScalarEvolutionAnalysis>(function),
                          analyses.getResult<DominatorTreeAnalysis>(function), analyses.getResult<AAManager>(function));
    for (CallInst *call : calls)
      if (std::optional<ArrivalLoop> arrival = arrivals.match(*call))
        found.push_back(*arrival);
  }
  if (found.empty())
    return changed;
  for (const ArrivalLoop &arrival : found)
    replace(arrival);
  analyses.invalidate(function, PreservedAnalyses::none());
  runAndSimplify(FunctionPassManager(), function, analyses);
  return true;
}
