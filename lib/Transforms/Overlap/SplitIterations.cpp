//===- SplitIterations.cpp - Iterations that need not wait ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop after a wait that touches a few bytes of what is in flight depends on the wait as a whole. This pass makes it
// two units of its chain, one of which does not, and says so by attributes; comm-move-slices puts them in order.
// docs/iterations.md has the rules.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "InFlight.h"
#include "Inspector.h"
#include "LoopLegality.h"
#include "MergeTwins.h"
#include "OwnWaits.h"
#include "SplitNest.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_COMMSPLITITERATIONS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct SplitIterations : public comm::impl::CommSplitIterationsBase<SplitIterations> {
  using CommSplitIterationsBase::CommSplitIterationsBase;
  void runOnOperation() final;
};

/// A unit that becomes two, and what its interior keeps off.
struct Plan {
  NestSplit split;
  /// Starts of what is in flight, and units that depend on their completion.
  SmallVector<Operation *> avoided;
  /// What stands for the numbers of iterations of each loop that are before the interior, and after it, for other plans
  /// to name. Constants until all plans are carried out.
  SmallVector<std::pair<LLVM::ConstantOp, LLVM::ConstantOp>> ends;
  /// Finds the interior at run time.
  std::optional<Inspection> inspection;
};

struct Settings {
  DependenceOptions dependence;
  CostModel cost = CostModel::None;
  /// Of sums of floating-point numbers.
  bool anyOrder = false;
  unsigned maxUnits = 0;
};

/// One chain.
class ChainSplitter {
public:
  ChainSplitter(Chain &chain, MemoryOracle &oracle, llvm::function_ref<FootprintAnalysis *()> getFootprints,
                const Settings &settings, std::vector<Plan> &plans)
      : chain(chain), oracle(oracle), getFootprints(getFootprints), settings(settings), plans(plans),
        dependence(chain, oracle, settings.dependence), inFlight(chain, oracle, getFootprints) {}

  void findPlans();

private:
  /// What depends on the completion of one request, up to a loop.
  struct Wave {
    unsigned wait;
    llvm::BitVector units;
  };
  std::optional<Plan> plan(unsigned loop, ArrayRef<const Wave *> waves);
  bool needsValueOfSplit(const NestSplit &split) const;
  std::optional<Plan> planInspection(unsigned loop, ArrayRef<const Wave *> waves, const llvm::Twine &why);
  void tellWhyNot(unsigned loop, const llvm::Twine &why);
  bool isWaitOfInterval(unsigned unit) const;

  Chain &chain;
  MemoryOracle &oracle;
  llvm::function_ref<FootprintAnalysis *()> getFootprints;
  const Settings &settings;
  /// Of all chains so far.
  std::vector<Plan> &plans;
  Dependence dependence;
  InFlight inFlight;
};
} // namespace

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static remark::RemarkOpts getRemarkOptions(StringRef name, Operation *op) {
  return remark::RemarkOpts::name(name).category("comm-split-iterations").function(getFunctionName(op));
}

/// Where the loop itself is; the branch that enters its unit may be one that somebody made.
static Location getLoopLocation(const Unit &unit) {
  for (Operation *op : {unit.op, unit.interior.empty() ? unit.op : &unit.interior.front()->front()})
    if (getSourcePosition(op->getLoc()).line)
      return op->getLoc();
  Location found = unit.op->getLoc();
  unit.walk([&](Operation *op) {
    if (!getSourcePosition(found).line)
      found = op->getLoc();
  });
  return found;
}

void ChainSplitter::tellWhyNot(unsigned loop, const llvm::Twine &why) {
  const Unit &unit = chain.getUnits()[loop];
  Location loc = getLoopLocation(unit);
  remark::missed(loc, getRemarkOptions("NotSplit", unit.op))
      << "the loop at " << toString(getSourcePosition(loc)) << " waits as a whole: it " << why.str();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The unit may be passed by what is known to touch nothing of it: no rule but memory is between the two.
static bool isAboutMemory(Reason reason) { return reason == Reason::None || reason == Reason::Memory; }

/// Two numbers that are one iteration as far as anybody looks at what pays.
static std::pair<LLVM::ConstantOp, LLVM::ConstantOp> makePlaceholders(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
  auto make = [&]() {
    return LLVM::ConstantOp::create(builder, function.getLoc(), builder.getI64Type(), builder.getI64IntegerAttr(1));
  };
  LLVM::ConstantOp before = make();
  return {before, make()};
}

/// Whether numbers are values of a unit that is to be split, which may hand over others in their place.
bool ChainSplitter::needsValueOfSplit(const NestSplit &split) const {
  bool isNeeded = false;
  forEachSymbol(split, [&](Value value) {
    for (const Plan &plan : plans)
      isNeeded |= llvm::is_contained(plan.split.unit.interior, value.getParentBlock());
  });
  return isNeeded;
}

std::optional<Plan> ChainSplitter::plan(unsigned index, ArrayRef<const Wave *> waves) {
  const Unit &unit = chain.getUnits()[index];
  if (std::string why = whyNotSplit(unit, oracle); !why.empty()) {
    tellWhyNot(index, why);
    return std::nullopt;
  }
  FootprintAnalysis *analysis = getFootprints();
  if (!analysis)
    return std::nullopt;
  LoopAccesses accesses(unit, *analysis, oracle);
  if (StringRef why = accesses.whyUnknown(); !why.empty()) {
    if (accesses.hasUnknownAddresses())
      return planInspection(index, waves, why);
    tellWhyNot(index, why);
    return std::nullopt;
  }
  Plan plan;
  SmallVector<Expr> counts;
  for (const FootprintAnalysis::Loop &loop : accesses.getLoops())
    counts.push_back(loop.count);
  Interior interior(counts);
  llvm::BitVector avoided(chain.getUnits().size());
  for (const Wave *wave : waves)
    avoided |= wave->units;
  for (unsigned other : avoided.set_bits()) {
    if (dependence.getReason(other, index) == Reason::None)
      continue;
    if (Operation *op = accesses.avoid(interior, inFlight.findAvoided(other))) {
      SourcePosition position = getSourcePosition(op->getLoc());
      return planInspection(index, waves,
                            "may touch what is in flight, or depends on it, in every iteration" +
                                (position.line ? " at " + toString(position) : std::string()));
    }
    inFlight.noteHolders(other, plan.avoided);
  }
  unsigned depth = interior.getDepth();
  if (depth == 0)
    return std::nullopt;
  plan.split.unit = unit;
  for (unsigned level = 0; level < depth; ++level) {
    plan.split.loops.push_back(accesses.getLoops()[level]);
    plan.split.touched.push_back(interior.getTouched(level));
  }
  plan.split.holds = accesses.areIndependent(depth);
  StringRef why = accesses.whyNotTwice(depth);
  if (why.empty() && !mayHold(plan.split.holds))
    why = "has iterations that depend on each other";
  if (why.empty())
    why = findCarried(plan.split, settings.anyOrder);
  if (why.empty() && !isComputable(plan.split))
    limitSizes(plan.split);
  if (why.empty() && (!isComputable(plan.split) || needsValueOfSplit(plan.split)))
    why = "has bounds that cannot be computed before it";
  if (!why.empty()) {
    tellWhyNot(index, why);
    return std::nullopt;
  }
  estimate(plan.split, accesses.getLoops().size() - depth, settings.cost == CostModel::Measured);
  SmallVector<std::pair<Expr, Expr>> ends;
  for (unsigned level = 0; level < depth; ++level) {
    plan.ends.push_back(makePlaceholders(unit.op));
    auto &[before, after] = plan.ends.back();
    ends.push_back({Expr::symbol(before), Expr::symbol(after)});
  }
  inFlight.keepRest(index, accesses.getRest(ends));
  return plan;
}

/// What no expression says is found at run time.
std::optional<Plan> ChainSplitter::planInspection(unsigned index, ArrayRef<const Wave *> waves,
                                                  const llvm::Twine &why) {
  Plan plan;
  llvm::BitVector units(chain.getUnits().size());
  for (const Wave *wave : waves)
    units |= wave->units;
  SmallVector<unsigned> avoided;
  for (unsigned other : units.set_bits())
    if (dependence.getReason(other, index) != Reason::None) {
      avoided.push_back(other);
      inFlight.noteHolders(other, plan.avoided);
    }
  std::string whyNot;
  plan.inspection = InspectorSearch(chain, oracle, *getFootprints()).find(index, avoided, whyNot);
  if (plan.inspection) {
    plan.split.unit = chain.getUnits()[index];
    plan.split.loops.push_back(plan.inspection->loop);
    plan.split.touched.emplace_back();
    plan.split.holds = plan.inspection->holds;
    plan.split.reloads = plan.inspection->reloads;
    whyNot = findCarried(plan.split, settings.anyOrder);
    if (whyNot.empty() && !isComputable(plan.split))
      limitSizes(plan.split);
    if (whyNot.empty() && (!isComputable(plan.split) || needsValueOfSplit(plan.split)))
      whyNot = "has bounds that cannot be computed before it";
    estimate(plan.split, /*depth=*/1, settings.cost == CostModel::Measured);
  }
  if (whyNot.empty())
    return plan;
  tellWhyNot(index, why + "; to look at its iterations at run time does not help: it " + whyNot);
  return std::nullopt;
}

/// Whether it waits for a request that is a value and was started in this chain.
bool ChainSplitter::isWaitOfInterval(unsigned index) const {
  const Unit &unit = chain.getUnits()[index];
  auto wait = unit.isPiece() ? WaitOp() : dyn_cast<WaitOp>(unit.op);
  Operation *start = wait ? wait.getRequest().getDefiningOp() : nullptr;
  std::optional<Interval> interval = start ? getInterval(start) : std::nullopt;
  return interval && interval->wait == unit.op && chain.findUnit(interval->start) >= 0;
}

void ChainSplitter::findPlans() {
  ArrayRef<Unit> units = chain.getUnits();
  std::vector<Wave> open;
  std::vector<OwnWait> ownWaits = findOwnWaits(chain, oracle);
  for (unsigned i = 0; i < units.size(); ++i) {
    if (dependence.isFence(i))
      open.clear();
    llvm::erase_if(open, [&](const Wave &wave) { return i - wave.wait > settings.maxUnits; });
    SmallVector<const Wave *> met, passed;
    for (Wave &wave : open) {
      bool depends = false, mayPass = true;
      for (unsigned other : wave.units.set_bits()) {
        Reason reason = dependence.getReason(other, i);
        depends |= reason != Reason::None;
        mayPass &= isAboutMemory(reason);
      }
      if (!depends)
        continue;
      met.push_back(&wave);
      if (mayPass)
        passed.push_back(&wave);
    }
    bool isSplittable = units[i].isPiece() && units[i].isLoop && !passed.empty();
    if (isSplittable)
      if (std::optional<Plan> found = plan(i, passed))
        plans.push_back(std::move(*found));
    for (const Wave *wave : met)
      const_cast<Wave *>(wave)->units.set(i);
    bool isOwnWait = llvm::any_of(ownWaits, [&](const OwnWait &wait) { return wait.unit == i; });
    if (isOwnWait || isWaitOfInterval(i)) {
      open.push_back({i, llvm::BitVector(units.size())});
      open.back().units.set(i);
    }
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The number by which other operations name this one.
static int64_t getLabel(Operation *op, int64_t &next) {
  if (auto label = op->getAttrOfType<IntegerAttr>(kLabelAttrName))
    return label.getInt();
  op->setAttr(kLabelAttrName, Builder(op->getContext()).getI64IntegerAttr(next));
  return next++;
}

static SplitBounds apply(Plan &plan, InspectorCode &inspectors, ArrayRef<int64_t> labels) {
  Location loc = getLoopLocation(plan.split.unit);
  remark::passed(loc, getRemarkOptions("Split", plan.split.unit.op))
      << "splits the loop at " << toString(getSourcePosition(loc)) << ": "
      << (plan.split.loops.size() == 1 ? std::string("iterations")
                                       : "iterations of " + std::to_string(plan.split.loops.size()) + " nested loops")
      << " that touch nothing in flight need not wait" << (plan.inspection ? ", and are found at run time" : "");
  auto keepOff = [&](Operation *entry) {
    entry->removeAttr(kLabelAttrName);
    entry->setAttr(kInteriorAttrName, DenseI64ArrayAttr::get(entry->getContext(), labels));
  };
  if (plan.inspection) {
    Value low, high;
    keepOff(inspectors.emit(*plan.inspection, low, high));
    // Before it and after it.
    TouchingIterations first{{Expr(), Expr::symbol(low)}, Predicate::always()};
    TouchingIterations last{{Expr::symbol(high), plan.split.loops.front().count}, Predicate::always()};
    plan.split.touched.front() = {first, last};
  }
  SplitBounds bounds = computeBounds(plan.split);
  keepOff(splitNest(plan.split, bounds));
  return bounds;
}

/// Gives those who named the ends of the interior their numbers.
static void replaceEnds(const Plan &plan, const SplitBounds &bounds) {
  for (unsigned level = 0; level < plan.ends.size(); ++level) {
    auto [before, after] = plan.ends[level];
    if (!before->use_empty() || !after->use_empty()) {
      Value end = bounds.interior[level].end;
      OpBuilder builder = OpBuilder::atBlockBegin(end.getParentBlock());
      before->replaceAllUsesWith(ValueRange(bounds.interior[level].begin));
      after->replaceAllUsesWith(ValueRange(
          LLVM::SubOp::create(builder, after.getLoc(), bounds.counts[level], bounds.interior[level].end).getResult()));
    }
    before->erase();
    after->erase();
  }
}

/// Whether something in flight may be completed in the unit, or is started by it.
static bool hasWait(const Unit &unit) {
  bool isOne = !unit.isPiece() && getInterval(unit.op);
  unit.walk([&](Operation *op) { isOne |= op->hasAttr(kFollowedAttrName); });
  return isOne;
}

void SplitIterations::runOnOperation() {
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
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (hasInterval(function))
      mergeTwins(function.getBody());
  // Found with analyses that the splits would make stale.
  std::vector<Plan> plans;
  {
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(getOperation());
    std::unique_ptr<FootprintAnalysis> footprints;
    bool isAsked = false;
    auto getFootprints = [&]() {
      if (!isAsked)
        footprints = FootprintAnalysis::create(*oracle);
      isAsked = true;
      return footprints.get();
    };
    Settings settings;
    settings.dependence.relaxTimers = relaxTimers;
    settings.dependence.observers = observers;
    settings.dependence.startsAreUnseen = startsAreUnseen;
    settings.cost = cost;
    settings.anyOrder = anyOrder;
    settings.maxUnits = maxUnits;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (!hasInterval(function))
        continue;
      ScopeTree scopes(function.getBody());
      for (const std::unique_ptr<Chain> &chain : scopes.getChains())
        if (llvm::any_of(chain->getUnits(), hasWait))
          ChainSplitter(*chain, *oracle, getFootprints, settings, plans).findPlans();
    }
  }
  int64_t nextLabel = 1;
  std::vector<SmallVector<int64_t>> labels;
  for (const Plan &plan : plans) {
    auto &ofPlan = labels.emplace_back();
    for (Operation *op : plan.avoided)
      ofPlan.push_back(getLabel(op, nextLabel));
    llvm::sort(ofPlan);
    ofPlan.erase(llvm::unique(ofPlan), ofPlan.end());
  }
  InspectorCode inspectors;
  std::vector<SplitBounds> bounds;
  for (auto [plan, ofPlan] : llvm::zip_equal(plans, labels))
    bounds.push_back(apply(plan, inspectors, ofPlan));
  for (auto [plan, ofPlan] : llvm::zip_equal(plans, bounds))
    replaceEnds(plan, ofPlan);
  numSplit += plans.size();
}
