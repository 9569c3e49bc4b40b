//===- MoveSlices.cpp - Widen overlap intervals ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Motion/ChainMotion.h"
#include "Motion/FootprintConditions.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_COMMMOVESLICES
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct MoveSlices : public comm::impl::CommMoveSlicesBase<MoveSlices> {
  using CommMoveSlicesBase::CommMoveSlicesBase;
  void runOnOperation() final;

private:
  /// Waits for requests in memory that were reported for a scope around theirs.
  llvm::DenseSet<Operation *> told;
  void runOnChain(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options, FunctionBlocks &blocks,
                  AbnormalExits &exits, GuardedWaits &guards);
  Observers inferObservers();
};
} // namespace

static void tellUseless(MPIOpInterface start, StringRef why) {
  remark::missed(
      start.getLoc(),
      remark::RemarkOpts::name("NotWorthwhile").category("comm-move-slices").function(getFunctionName(start)))
      << getDisplayName(start) << " " << why;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Returns an order in which every pair has a worthwhile interval or its wait right after its start.
static Order schedule(ScheduleProblem &problem, MotionMode mode,
                      llvm::function_ref<bool(ArrayRef<unsigned>, const ScheduleProblem::Pair &)> isWorthHaving) {
  auto scheduleOnce = [&]() {
    if (mode == MotionMode::Basic)
      return scheduleBasic(problem);
    Order order = scheduleExtended(problem);
    return shareWork(problem, order, [&](ArrayRef<unsigned> other) {
      return llvm::all_of(problem.pairs, [&](const ScheduleProblem::Pair &pair) {
        return pair.isGivenUp || pair.isProgramsOwn || isWorthHaving(other, pair) || !isWorthHaving(order, pair);
      });
    });
  };
  // Giving up a pair changes the intervals of others, so look again; each round gives up at least one.
  while (true) {
    Order order = scheduleOnce();
    bool changed = false;
    for (ScheduleProblem::Pair &pair : problem.pairs)
      if (!pair.isGivenUp && !pair.isProgramsOwn && !isWorthHaving(order, pair))
        changed = pair.isGivenUp = true;
    if (!changed)
      return order;
  }
}

/// Keeps only the reasons for pairs that are given up: other orders that were tried do not matter.
static void keepGivenUp(const ScheduleProblem &problem, llvm::DenseMap<unsigned, std::string> &useless) {
  llvm::DenseMap<unsigned, std::string> tried;
  std::swap(tried, useless);
  for (const ScheduleProblem::Pair &pair : problem.pairs)
    if (auto why = tried.find(pair.isInMemory ? pair.wait : pair.start); pair.isGivenUp && why != tried.end())
      useless.insert(*why);
}

void MoveSlices::runOnChain(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options,
                            FunctionBlocks &blocks, AbnormalExits &exits, GuardedWaits &guards) {
  auto isMovable = [&](const Unit &unit) {
    bool isOwn = false;
    unit.walk([&](Operation *op) { isOwn |= op->hasAttr(kFollowedAttrName); });
    return isOwn || findWait(chain, unit);
  };
  if (llvm::none_of(chain.getUnits(), isMovable))
    return;
  ChainMotion motion(chain, oracle, options, blocks);
  std::optional<SplitCost> costs;
  if (cost == CostModel::Measured)
    costs.emplace(getOperation(), abi, profile);
  Order whole(llvm::to_vector(llvm::seq<unsigned>(0, chain.getUnits().size())));
  bool moved = false;
  for (Segment segment : motion.findSegments(maxUnits)) {
    ScheduleProblem problem = motion.makeProblem(segment);
    if (costs)
      motion.keepCompletions(segment, problem, *costs);
    // Why starts stay with their waits although something could move in between.
    llvm::DenseMap<unsigned, std::string> useless;
    Order order = schedule(problem, mode, [&](ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair) {
      if (getIntervalWeight(problem, order, pair) < minWeight)
        return false;
      auto why = costs ? motion.whyUseless(segment, order, pair, *costs) : std::nullopt;
      if (why)
        useless[pair.isInMemory ? pair.wait : pair.start] = "stays blocking: its interval " + *why;
      return !why;
    });
    keepGivenUp(problem, useless);
    for (const ScheduleProblem::Pair &pair : problem.pairs)
      if (auto why = useless.find(pair.wait);
          pair.isInMemory && why != useless.end() && told.insert(chain.getUnits()[segment.begin + pair.wait].op).second)
        tellUseless(motion.getStart(segment, pair), why->second);
    Order before(llvm::to_vector(llvm::seq<unsigned>(0, problem.units.size())));
    bool gained = motion.tellOwnWaits(segment, problem, before, order, minWeight, costs.has_value(), told);
    numWidened += gained;
    llvm::DenseMap<unsigned, std::string> overlapped;
    for (const ScheduleProblem::Pair &pair : problem.pairs) {
      if (pair.isInMemory)
        continue;
      auto start = cast<MPIOpInterface>(chain.getUnits()[segment.begin + pair.start].op);
      unsigned weight = getIntervalWeight(problem, order, pair), had = getIntervalWeight(problem, before, pair);
      if (pair.isGivenUp || weight < had + minWeight) {
        ++numUnchanged;
        // The first half of a sendrecv reports for both, unless the other overlaps something.
        bool isTold = llvm::any_of(problem.pairs, [&](const ScheduleProblem::Pair &other) {
          return static_cast<int>(other.start) == pair.partner && (!other.isGivenUp || other.start < pair.start);
        });
        if (auto why = useless.find(pair.start); why != useless.end() && !isTold)
          tellUseless(start, why->second);
        else if (had < minWeight && !isTold)
          motion.explain(segment, pair, "overlaps nothing");
        continue;
      }
      if (auto why = costs && pair.isProgramsOwn ? motion.whyNoGain(segment, before, order, pair) : std::nullopt) {
        ++numUnchanged;
        tellUseless(start, *why);
        continue;
      }
      gained = true;
      ++numWidened;
      Contents contents = motion.describeContents(segment, order, pair);
      numMovedUnits += contents.units;
      std::string overlaps = describe(contents);
      if (had >= minWeight)
        overlaps += " instead of " + describe(motion.describeContents(segment, before, pair));
      markChanged(start);
      // Report the halves of a sendrecv as one call.
      overlapped[pair.start] = overlaps;
      if (pair.partner >= 0 && overlapped.lookup(pair.partner) == overlaps)
        continue;
      remark::passed(start.getLoc(),
                     remark::RemarkOpts::name("Overlap").category("comm-move-slices").function(getFunctionName(start)))
          << getDisplayName(start) << " at " << toString(getSourcePosition(start.getLoc())) << " overlaps " << overlaps;
    }
    if (!gained)
      continue; // do not move anything without a gain
    moved = true;
    motion.findExits(segment, order, exits);
    for (const ScheduleProblem::Pair &pair : problem.pairs)
      motion.findConditions(segment, order, pair, guards);
    for (auto [i, unit] : llvm::enumerate(order))
      whole[segment.begin + i] = segment.begin + unit;
  }
  if (moved)
    chain.reorder(whole);
}

/// Collects the variables of constant size in the first block.
static void findFrame(Region &body, SmallVectorImpl<LLVM::AllocaOp> &variables) {
  for (auto variable : body.front().getOps<LLVM::AllocaOp>())
    if (matchPattern(variable.getArraySize(), m_Constant()))
      variables.push_back(variable);
}

/// Moves the variables back to the beginning of the function, since they may have moved as units. Elsewhere they are
/// not part of the frame, and optimizers do not promote them to registers.
static void restoreFrame(ArrayRef<LLVM::AllocaOp> variables) {
  for (LLVM::AllocaOp variable : llvm::reverse(variables)) {
    Block &first = variable->getParentRegion()->front();
    if (variable->getBlock() == &first)
      continue;
    variable->moveBefore(&first, first.begin());
    OpBuilder builder(variable);
    variable.getArraySizeMutable().assign(builder.clone(*variable.getArraySize().getDefiningOp())->getResult(0));
  }
}

Observers MoveSlices::inferObservers() {
  if (observers != Observers::Infer)
    return observers;
  bool isHere =
      getOperation()
          .walk([](Operation *op) { return mayObserveStarts(op) ? WalkResult::interrupt() : WalkResult::advance(); })
          .wasInterrupted();
  return isHere ? Observers::Here : Observers::Elsewhere;
}

void MoveSlices::runOnOperation() {
  if (mode == MotionMode::Off)
    return;
  auto hasInterval = [](Operation *root) {
    return root
        ->walk([](Operation *op) {
          bool isOne = getInterval(op) || op->hasAttr(kFollowedAttrName);
          return isOne ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  if (!hasInterval(getOperation()))
    return;
  told.clear();
  DependenceOptions options;
  options.relaxTimers = relaxTimers;
  options.observers = inferObservers();
  options.sideChannels = sideChannels;
  // Create the guards before the oracle analyzes the module.
  llvm::MapVector<Operation *, GuardedWaits> guards;
  SmallVector<Operation *> asked;
  SmallVector<LLVM::AllocaOp> frame;
  for (auto function : getOperation().getOps<FunctionOpInterface>())
    if (hasInterval(function)) {
      guards.insert({function, GuardedWaits(function)});
      asked.push_back(function);
      findFrame(function.getFunctionBody(), frame);
    }
  {
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(getOperation(), asked);
    FootprintConditions refiner(*oracle);
    options.refiner = &refiner;
    for (auto &[op, waits] : guards) {
      auto function = cast<FunctionOpInterface>(op);
      ScopeTree scopes(function.getFunctionBody());
      options.mayGuardExits = canGuardExits(function);
      AbnormalExits exits;
      FunctionBlocks blocks;
      for (const std::unique_ptr<Chain> &chain : scopes.getChains())
        runOnChain(*chain, *oracle, options, blocks, exits, waits);
      guardExits(exits); // last: it splits blocks
    }
  }
  for (auto &[function, waits] : guards)
    waits.finish();
  restoreFrame(frame);
}
