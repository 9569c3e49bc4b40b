//===- LeaveBranches.cpp - Waits leave the branches of their starts -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One level of branches at a time: a wait that may be the last operation of its branch may as well follow the branch,
// as long as nothing happens there on other paths. What it may pass in the next scope is decided as for any wait.
// docs/soundness.md has the rules.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Motion/FootprintConditions.h"
#include "Motion/GuardQuestions.h"
#include "Motion/GuardedWaits.h"
#include "Motion/LeftWaits.h"
#include "Units/SimplifyLoads.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/FrameSlots.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {
#define GEN_PASS_DEF_COMMLEAVEBRANCHES
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
/// A wait that may move before the current first operation of a block, unless the answer to one of the questions
/// is yes: then another wait takes its place.
struct Leaving {
  WaitOp wait;
  Block *join;
  SmallVector<Question, 2> questions;
};

/// Analyses of one state of some functions.
struct Analyses {
  Analyses(ModuleOp module, ArrayRef<Operation *> functions)
      : oracle(MemoryOracle::create(module, functions)), refiner(*oracle) {}
  std::unique_ptr<MemoryOracle> oracle;
  FootprintConditions refiner;
  DominanceInfo dominance;
};

struct LeaveBranches : public comm::impl::CommLeaveBranchesBase<LeaveBranches> {
  using CommLeaveBranchesBase::CommLeaveBranchesBase;
  void runOnOperation() final;

private:
  DependenceOptions getOptions();
  void findLeaving(const ScopeTree &scopes, const Chain &chain, std::optional<Analyses> &analyses,
                   SmallVectorImpl<Leaving> &leaving);

  /// The functions that may have waits to move.
  SmallVector<Operation *> asked;
};
} // namespace

/// Returns true if an operation of the module may observe which message was started first.
static bool isObserved(ModuleOp module) {
  return module
      .walk([](Operation *op) { return mayObserveStarts(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Returns true if the unit is a wait that may leave: for a message that this chain starts, or one that has left a
/// branch of the chain.
static bool mayLeave(const Unit &unit, const Chain &chain, bool keepsOwn) {
  auto wait = unit.isPiece() ? WaitOp() : dyn_cast<WaitOp>(unit.op);
  if (!wait || llvm::any_of(wait->getResults(), [](Value result) { return !result.use_empty(); }))
    return false;
  if (isLeft(wait))
    return true;
  MPIOpInterface start = getOnlyStart(wait);
  std::optional<Interval> interval = start ? getInterval(start) : std::nullopt;
  if (!interval || interval->wait != wait || interval->guard || !interval->cleanups.empty() ||
      chain.findUnit(start) < 0 || (keepsOwn && start->hasAttr(kProgramsIntervalAttrName)))
    return false;
  if (Value error = start.getOutcome("error"); error && !error.use_empty())
    return false;
  Matching::Kind kind = start.getMatching().kind;
  return kind == Matching::Kind::Send || kind == Matching::Kind::Receive;
}

/// Returns true if the unit contains only communication, questions of early waits, loads (of a size, again), and
/// lifetime ends. Anything else after the wait should stay in the branch and overlap the message there.
static bool isCommunication(const Unit &unit) {
  bool isOther = unit.isLoop;
  unit.walk([&](Operation *op) {
    isOther |= !isa<MPIOpInterface, LLVM::LifetimeEndOp, LLVM::LoadOp>(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
               !isMemoryEffectFree(op) && !isQuestion(op);
  });
  return !isOther;
}

/// Returns the block where control continues after the branch of which the chain is a whole arm, or null. If there is
/// one, the wait is executed exactly once whenever the start is, in one way or the other.
static Block *findJoin(const ScopeTree &scopes, const Chain &chain) {
  Block *front = chain.getBlocks().front(), *back = chain.getBlocks().back();
  const Unit *around = nullptr;
  for (const std::unique_ptr<Chain> &other : scopes.getChains()) {
    int index = other.get() == &chain ? -1 : other->findUnit(&front->front());
    if (index < 0 || !other->getUnits()[index].isPiece())
      continue;
    const Unit &unit = other->getUnits()[index];
    if (llvm::is_contained(unit.interior, front) && (!around || unit.interior.size() < around->interior.size()))
      around = &unit;
  }
  // Loops of the other arm do not matter. Loops of this one may unpack what arrives, and stay with their waits.
  bool hasLoop =
      around && around->isLoop && llvm::any_of(chain.getUnits(), [](const Unit &unit) { return unit.isLoop; });
  if (!around || hasLoop || around->leavesAbnormally())
    return nullptr;
  bool isLast = back->getNumSuccessors() == 1 && back->getSuccessor(0) == around->join;
  return isLast && !isa<LLVM::LandingpadOp>(around->join->front()) ? around->join : nullptr;
}

DependenceOptions LeaveBranches::getOptions() {
  DependenceOptions options;
  options.relaxTimers = relaxTimers;
  options.observers = observers;
  if (observers == Observers::Infer)
    options.observers = isObserved(getOperation()) ? Observers::Here : Observers::Elsewhere;
  options.sideChannels = sideChannels;
  return options;
}

void LeaveBranches::findLeaving(const ScopeTree &scopes, const Chain &chain, std::optional<Analyses> &analyses,
                                SmallVectorImpl<Leaving> &leaving) {
  ArrayRef<Unit> units = chain.getUnits();
  if (llvm::none_of(units, [&](const Unit &unit) { return mayLeave(unit, chain, keepsOwn); }))
    return;
  Block *join = findJoin(scopes, chain);
  if (!join)
    return;
  if (!analyses)
    analyses.emplace(getOperation(), asked);
  DependenceOptions options = getOptions();
  options.refiner = &analyses->refiner;
  Dependence dependence(chain, *analyses->oracle, options);
  GuardQuestions questions(chain, *analyses->oracle, dependence, analyses->dominance);
  // Waits that leave keep their order.
  SmallVector<unsigned> passed;
  SmallVector<Leaving> found;
  for (unsigned i = units.size(); i-- > 0;) {
    bool leaves = mayLeave(units[i], chain, keepsOwn);
    // Its status must be available at the join.
    Value status = leaves ? cast<WaitOp>(units[i].op).getStatus() : Value();
    leaves &= !status || analyses->dominance.dominates(status.getParentBlock(), join);
    SmallVector<Question, 2> asked;
    if (leaves)
      questions.addGuard(i, i);
    for (unsigned later : passed) {
      if (!leaves || !dependence.mustPrecede(i, later))
        continue;
      leaves = questions.canAskInstead(i, later);
      Condition condition = dependence.getCondition(i, later);
      for (const Question &question : condition.getQuestions())
        if (!llvm::is_contained(asked, question))
          asked.push_back(question);
    }
    if (leaves) {
      // For earlier waits, a wait with questions counts as one that stays: if two share a status, that of the second
      // one must remain.
      if (!asked.empty())
        passed.push_back(i);
      found.push_back({cast<WaitOp>(units[i].op), join, std::move(asked)});
      continue;
    }
    if (!isCommunication(units[i]))
      break;
    passed.push_back(i);
  }
  leaving.append(found.rbegin(), found.rend());
}

/// Creates the conditional wait that stays, for the request in that slot.
static void guard(const Leaving &leaving, Value slot, DominanceInfo &dominance) {
  if (leaving.questions.empty())
    return;
  WaitOp wait = leaving.wait;
  Value asked = askAny(leaving.questions, wait, dominance, /*mayMeanNothing=*/true);
  OpBuilder builder(wait);
  auto guard = WaitIfOp::create(builder, wait.getLoc(), slot, wait.getStatus(), asked);
  guard->setDiscardableAttr(kFollowedAttrName, builder.getUnitAttr());
  guard->setDiscardableAttr(kLeftAttrName, builder.getUnitAttr());
}

/// Moves the wait before `first`. A request that is a value gets a slot.
static void leave(const Leaving &leaving, Type handle, Operation *first, DominanceInfo &dominance) {
  WaitOp wait = leaving.wait;
  if (isLeft(wait)) {
    guard(leaving, wait.getRequest(), dominance);
    wait->moveBefore(first);
    return;
  }
  MPIOpInterface start = getOnlyStart(wait);
  markSplit(start);
  Value slot = createFrameSlot(start, start.getLoc(), handle);
  OpBuilder builder(start);
  cloneStart(builder, start, slot);
  guard(leaving, slot, dominance);
  builder.setInsertionPoint(first);
  createLeftWait(builder, wait, slot);
  wait.erase();
  start.erase();
}

void LeaveBranches::runOnOperation() {
  ModuleOp module = getOperation();
  StringRef name = getABIName(abi, module);
  if (name.empty())
    return markAllAnalysesPreserved(); // the size of a request is unknown
  const mpi::ABI *known = lookupABI(name, module);
  if (!known)
    return signalPassFailure();
  Type handle = getHandleType(mpi::HandleClass::Request, *known, &getContext());
  auto hasWait = [](LLVM::LLVMFuncOp function) {
    return function.walk([](WaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  SmallVector<LLVM::LLVMFuncOp> functions;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal() && !function.getBody().hasOneBlock() && hasWait(function))
      functions.push_back(function);
  // Sizes loaded again in a branch would keep waits there and hide which bytes the messages occupy.
  SmallVector<LLVM::LLVMFuncOp> repeating = llvm::filter_to_vector(functions, mayRaiseLoads);
  if (!repeating.empty()) {
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module, llvm::to_vector_of<Operation *>(repeating));
    DependenceOptions options = getOptions();
    SmallVector<LLVM::LLVMFuncOp> raised;
    for (LLVM::LLVMFuncOp function : repeating)
      if (raiseLoads(function, *oracle, options))
        raised.push_back(function);
    simplifyLoads(raised, *oracle, options, /*isLast=*/false);
  }
  for (unsigned depth = 0; depth < maxDepth; ++depth) {
    SmallVector<Leaving> all;
    {
      asked.assign(functions.begin(), functions.end());
      std::optional<Analyses> analyses;
      // A wait that left one branch may leave the next one. In functions where none left, none will.
      llvm::erase_if(functions, [&](LLVM::LLVMFuncOp function) {
        size_t before = all.size();
        ScopeTree scopes(function.getBody());
        for (const std::unique_ptr<Chain> &chain : scopes.getChains())
          findLeaving(scopes, *chain, analyses, all);
        return all.size() == before;
      });
    }
    if (all.empty())
      return;
    numLeft += all.size();
    // A wait that leaves a branch comes right after it, before what was there.
    llvm::DenseMap<Block *, Operation *> firsts;
    for (const Leaving &leaving : all)
      firsts.try_emplace(leaving.join, &leaving.join->front());
    DominanceInfo dominance;
    for (const Leaving &leaving : all)
      leave(leaving, handle, firsts.lookup(leaving.join), dominance);
  }
}
