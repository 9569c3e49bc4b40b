//===- SplitIterations.cpp - Iterations that need not wait ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop after a wait that touches a few bytes of what is in flight depends on the wait as a whole, and a start depends
// as a whole on a loop before it that computes what is sent. This pass splits such a loop into two units of its chain,
// one of which is independent of the communication, and marks them by attributes; comm-move-slices reorders them.
// docs/iterations.md has the rules.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Iterations/BypassForwarders.h"
#include "Iterations/CopyTails.h"
#include "Iterations/ForgetScopes.h"
#include "Iterations/InFlight.h"
#include "Iterations/Inspector.h"
#include "Iterations/LoopLegality.h"
#include "Iterations/MergeTwins.h"
#include "Iterations/RowCheck.h"
#include "Iterations/SplitNest.h"
#include "Iterations/TestExits.h"
#include "Motion/ChainMotion.h"
#include "Motion/FootprintConditions.h"
#include "Motion/LeftWaits.h"
#include "Motion/OwnWaits.h"
#include "Units/HoistAddresses.h"
#include "Units/SimplifyLoads.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Worksharing.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

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

/// A unit to be split, and what its interior must avoid.
struct Plan {
  NestSplit split;
  /// Starts of messages in flight, units that depend on their completion, and units on which the starts depend.
  SmallVector<Operation *> avoided;
  /// Branches that wait: if one of them is entered, there is no interior.
  SmallVector<Operation *> excluded;
  /// A start follows the rest and may precede the interior.
  bool isProducer = false;
  /// The inspector that finds the interior at run time, if any.
  std::optional<Inspection> inspection;
  /// Finds the pointers that the numbers of the split need, and checks whether rows are evenly spaced.
  std::unique_ptr<RowCheck> rows;
  /// All iterations need what arrives. No start needs the interior, but it waits nonetheless.
  bool waitsAsWhole = false;
  /// Placeholders for the numbers of iterations before and after the interior of each loop, to which other plans refer.
  /// They are constants until all plans are applied.
  SmallVector<std::pair<LLVM::ConstantOp, LLVM::ConstantOp>> ends;
};

/// Limit on the comparisons in the bounds of all loops of a function: each of hundreds of loops that an optimizer has
/// unrolled must avoid all earlier ones. A comparison takes about six instructions, and the optimizer more than twice
/// as long for twice as many of them.
constexpr unsigned kMostComparisons = 3000;
constexpr const char *kTooManyComparisons = "would exceed the limit on comparisons of loop bounds in a function";

struct Settings {
  const SiteProfile *profile = nullptr;
  DependenceOptions dependence;
  CostModel cost = CostModel::None;
  /// Sums of floating-point numbers may be reordered.
  bool anyOrder = false;
  unsigned maxUnits = 0;
  const OwnLoops *ownLoops = nullptr;
};

/// Plans the splits in one chain.
class ChainSplitter {
public:
  ChainSplitter(Chain &chain, MemoryOracle &oracle, llvm::function_ref<FootprintAnalysis *()> getFootprints,
                FootprintConditions &conditions, const Settings &settings, unsigned &numComparisons,
                std::vector<Plan> &plans)
      : chain(chain), oracle(oracle), getFootprints(getFootprints), conditions(conditions), settings(settings),
        numComparisons(numComparisons), plans(plans), dependence(chain, oracle, settings.dependence),
        inFlight(chain, oracle, getFootprints) {}

  void findPlans();

private:
  /// The units that depend on the completion of one request, up to a loop after it, or those on which a start depends,
  /// back to a loop before it.
  struct Wave {
    unsigned origin;
    llvm::BitVector units;
  };
  void meet(unsigned unit, std::vector<Wave> &waves, llvm::BitVector &avoided);
  void findConsumers(ArrayRef<OwnWait> ownWaits);
  void findProducers(ArrayRef<OwnWait> ownWaits);
  void tellObstacle(unsigned index);
  /// If a unit of `avoided` is in the way that waits as a whole, and others would be left without its waves, the unit
  /// is stored in `whole`, unless that is null.
  std::optional<Plan> plan(unsigned loop, const llvm::BitVector &avoided, std::string &why,
                           std::optional<unsigned> *whole = nullptr);
  llvm::BitVector findWavesWithout(unsigned unit, unsigned loop, const llvm::BitVector &avoided) const;
  std::optional<Plan> planInspection(unsigned loop, const llvm::BitVector &avoided, std::string &why);
  std::optional<Plan> plan(unsigned loop);
  std::string whyNotSplit(Plan &plan, LoopAccesses *accesses = nullptr);
  SmallVector<Avoided> findAvoided(unsigned other, llvm::function_ref<bool(Value)> isKnown, RowCheck *rows);
  Predicate findIndependence(Plan &plan, LoopAccesses &accesses);
  bool moveBoundsAhead(const NestSplit &split);
  std::string whyNotWorthwhile(const llvm::BitVector &avoided) const;
  bool needsValueOfSplit(const NestSplit &split) const;
  bool mayBeAsked(unsigned wait, unsigned other);
  bool mayAskCause(unsigned wait, unsigned start);
  bool isKnownBefore(Value value, const llvm::BitVector &avoided, unsigned depth = 0);
  bool isOccasional(unsigned unit) const;
  Reason getReason(unsigned a, unsigned b) { return dependence.getReason(std::min(a, b), std::max(a, b)); }
  std::optional<Interval> getIntervalOf(unsigned unit) const;
  bool isStartOfInterval(unsigned unit) const {
    std::optional<Interval> interval = getIntervalOf(unit);
    return interval && interval->start == chain.getUnits()[unit].op;
  }

  Chain &chain;
  MemoryOracle &oracle;
  llvm::function_ref<FootprintAnalysis *()> getFootprints;
  FootprintConditions &conditions;
  const Settings &settings;
  /// Comparisons of all plans for this function.
  unsigned &numComparisons;
  /// Plans of all chains so far.
  std::vector<Plan> &plans;
  Dependence dependence;
  InFlight inFlight;
  /// For each unit that is a loop: the units of communications before it and after it that its interior must avoid.
  std::vector<llvm::BitVector> before, after;
  /// For each unit that is a loop: the waves before it that `before` is made of.
  std::vector<SmallVector<llvm::BitVector, 2>> wavesBefore;
  /// The units for which isOccasional holds.
  llvm::BitVector occasional;
  /// For each unit that is a loop: waiting branches that it may pass only if they are not entered.
  std::vector<llvm::BitVector> crossed;
  /// For each unit: a waiting unit on which it depends by a rule other than memory.
  std::vector<std::pair<int, Reason>> obstacles;
};
} // namespace

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static remark::RemarkOpts getRemarkOptions(StringRef name, Operation *op) {
  return remark::RemarkOpts::name(name).category("comm-split-iterations").function(getFunctionName(op));
}

/// Returns the location of the loop itself. The branch that enters its unit may be generated code.
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

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Returns true if only memory orders the two units, so code that touches nothing of one may pass it.
static bool isAboutMemory(Reason reason) { return reason == Reason::None || reason == Reason::Memory; }

/// Returns true if the unit is or contains an MPI operation.
static bool hasCommunication(const Unit &unit) {
  bool isFound = false;
  unit.walk([&](Operation *op) { isFound |= isa<MPIOpInterface>(op); });
  return isFound;
}

/// Creates two placeholders, each of which cost estimates take for one iteration.
static std::pair<LLVM::ConstantOp, LLVM::ConstantOp> makePlaceholders(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
  auto make = [&]() {
    return LLVM::ConstantOp::create(builder, function.getLoc(), builder.getI64Type(), builder.getI64IntegerAttr(1));
  };
  LLVM::ConstantOp before = make();
  return {before, make()};
}

/// Calls `fn` with the plans to whose ends the numbers of `user` refer.
static void forEachNamed(const NestSplit &user, std::vector<Plan> &plans, llvm::function_ref<void(Plan &)> fn) {
  forEachSymbol(user, [&](Value value) {
    for (Plan &plan : plans)
      if (llvm::any_of(plan.ends,
                       [&](auto ends) { return ends.first.getRes() == value || ends.second.getRes() == value; }))
        fn(plan);
  });
}

/// Returns true if the numbers are values of a unit to be split, which may pass on other values in their place.
bool ChainSplitter::needsValueOfSplit(const NestSplit &split) const {
  bool isNeeded = false;
  forEachSymbol(split, [&](Value value) {
    for (const Plan &plan : plans)
      isNeeded |= llvm::is_contained(plan.split.unit.interior, value.getParentBlock());
  });
  return isNeeded;
}

/// Computes the bounds of later units to which these numbers refer before this unit. Returns false if that is
/// impossible.
bool ChainSplitter::moveBoundsAhead(const NestSplit &split) {
  SmallVector<Plan *> named;
  int here = chain.findUnit(split.unit.op);
  auto collect = [&](const NestSplit &user) {
    forEachNamed(user, plans, [&](Plan &plan) {
      if (chain.findUnit(plan.split.unit.op) > here && !llvm::is_contained(named, &plan))
        named.push_back(&plan);
    });
  };
  collect(split);
  for (size_t i = 0; i < named.size(); ++i)
    collect(named[i]->split);
  for (const Plan *plan : named)
    if (plan->rows || plan->inspection || !isComputable(plan->split, split.unit.op))
      return false;
  for (Plan *plan : named)
    plan->split.boundsAt = split.unit.op;
  return true;
}

/// Returns the number of comparisons in the bounds.
static unsigned countComparisons(const NestSplit &split) {
  constexpr unsigned ofRange = 8; // findInterior
  unsigned count = split.holds.getSize();
  for (const auto &touched : split.touched)
    for (const TouchingIterations &each : touched)
      count += each.valid.getSize() + ofRange;
  return count;
}

/// Returns why the program could not repeat the loops, or "" if it can or need not.
static StringRef whyNotRepeated(NestSplit &split, LoopAccesses *accesses) {
  bool isRepeated = false;
  for (const Fold &fold : split.folds) {
    if (!fold.isRepeated)
      continue;
    isRepeated = true;
    if (findTotals(split, fold).empty())
      return "computes a value that is used after it";
  }
  if (!isRepeated)
    return "";
  if (accesses && !isWorksharing(split.loops.back().latch->getTerminator()))
    split.holds = split.holds && accesses->readsNothingWritten();
  else
    split.holds = Predicate::never();
  return mayHold(split.holds) ? "" : "has a maximum or minimum that takes NaN, and changes what it is computed from";
}

/// Returns why the loops cannot be split as planned, or "" if they can. `accesses`: those of the loops, if they are
/// known.
std::string ChainSplitter::whyNotSplit(Plan &plan, LoopAccesses *accesses) {
  StringRef why = findCarried(plan.split, settings.anyOrder);
  if (why.empty())
    why = whyNotRepeated(plan.split, accesses);
  if (!why.empty())
    return why.str();
  // If the rest comes first, it cannot begin with what the interior carries.
  plan.split.combinesFolds = plan.isProducer;
  if (plan.isProducer && llvm::any_of(plan.split.folds, [&](const Fold &fold) {
        return !fold.canCombine() || findTotals(plan.split, fold).empty();
      }))
    return "computes a value that is used after it";
  if (!isComputable(plan.split, plan.split.unit.op))
    limitSizes(plan.split);
  if (!isComputable(plan.split, plan.split.unit.op) || needsValueOfSplit(plan.split) || !moveBoundsAhead(plan.split))
    return "has bounds that cannot be computed before it";
  numComparisons += countComparisons(plan.split);
  return numComparisons > kMostComparisons ? kTooManyComparisons : "";
}

/// Returns why avoiding these communications cannot pay, or "" if it may.
std::string ChainSplitter::whyNotWorthwhile(const llvm::BitVector &avoided) const {
  SmallVector<MPIOpInterface> starts;
  for (unsigned other : avoided.set_bits()) {
    if (std::optional<Interval> interval = getIntervalOf(other))
      starts.push_back(interval->start);
    else if (hasCommunication(chain.getUnits()[other]))
      return "";
  }
  return whyTooShort(starts, *settings.profile);
}

/// Returns what a loop must avoid to touch nothing of the unit. If the loop looks up rows, `rows` are those: a loop
/// that unpacks a column mostly looks up the same ones.
SmallVector<Avoided> ChainSplitter::findAvoided(unsigned other, llvm::function_ref<bool(Value)> isKnown,
                                                RowCheck *rows) {
  const Unit &unit = chain.getUnits()[other];
  bool mayHelp = rows && unit.isPiece() && unit.isLoop && !hasCommunication(unit) && inFlight.touchesUnknown(other);
  auto iterations = mayHelp ? getFootprints()->getIterations(unit) : FootprintAnalysis::Iterations();
  if (iterations.isLoop) {
    RowsElsewhere elsewhere(*rows, iterations.count);
    if (auto avoided = inFlight.findAvoided(other, isKnown, elsewhere))
      return std::move(*avoided);
  }
  return inFlight.findAvoided(other, isKnown);
}

/// Returns the condition under which iterations may be reordered. Scratch memory keeps what the last one leaves there.
Predicate ChainSplitter::findIndependence(Plan &plan, LoopAccesses &accesses) {
  unsigned depth = plan.split.loops.size();
  Predicate holds = accesses.areIndependent(depth);
  bool mayHaveScratch =
      depth == 1 && !plan.isProducer && !isWorksharing(plan.split.loops.front().latch->getTerminator());
  if (mayHold(holds) || !mayHaveScratch)
    return holds;
  holds = accesses.areIndependentButForScratch(plan.split.unit, *getFootprints(), plan.rows.get());
  plan.split.keepsLast |= mayHold(holds);
  return holds;
}

std::optional<Plan> ChainSplitter::plan(unsigned index, const llvm::BitVector &avoided, std::string &why,
                                        std::optional<unsigned> *whole) {
  const Unit &unit = chain.getUnits()[index];
  why = comm::whyNotSplit(unit, oracle);
  if (why.empty())
    why = whyNotWorthwhile(avoided);
  if (why.empty() && numComparisons > kMostComparisons)
    why = kTooManyComparisons;
  FootprintAnalysis *analysis = why.empty() ? getFootprints() : nullptr;
  if (!analysis)
    return std::nullopt;
  Plan plan;
  auto found = std::make_unique<LoopAccesses>(unit, *analysis, oracle);
  if (found->hasUnknownAddresses() || found->hasUnknownBytes()) {
    auto rows = std::make_unique<RowCheck>(unit);
    auto byRows = std::make_unique<LoopAccesses>(unit, *analysis, oracle, rows.get());
    if (found->hasUnknownAddresses() || !byRows->hasUnknownBytes()) {
      plan.rows = std::move(rows);
      found = std::move(byRows);
    }
  }
  LoopAccesses &accesses = *found;
  why = accesses.whyUnknown();
  if (!why.empty() && accesses.hasUnknownAddresses())
    return planInspection(index, avoided, why);
  if (!why.empty())
    return std::nullopt;
  if (plan.rows)
    plan.rows->setLoop(accesses.getLoops().front());
  TypicalStrides strides;
  accesses.addStrides(strides);
  // Rows of earlier loops, which leave iterations for after the wait.
  for (const Plan &earlier : plans)
    if (plan.rows && earlier.rows)
      plan.rows->addRowsOf(*earlier.rows, strides);
  SmallVector<Expr> counts;
  for (const FootprintAnalysis::Loop &loop : accesses.getLoops())
    counts.push_back(loop.count);
  Interior interior(counts);
  Predicate noneIsEntered = Predicate::always();
  for (unsigned other : avoided.set_bits()) {
    // Alias analysis may find conflicts of the copies that the loop does not have: list these units, too.
    if (getReason(other, index) == Reason::None) {
      inFlight.noteHolders(other, plan.avoided);
      continue;
    }
    auto isKnown = [&](Value value) { return isKnownBefore(value, avoided); };
    auto rest = inFlight.findRest(other, isKnown);
    // The rest of a loop of fewer dimensions, such as one that unpacks a face, may be larger than it looks: avoid all
    // of that loop if possible.
    bool isOfFewer =
        rest && !plan.rows && analysis->getNest(chain.getUnits()[other]).loops.size() < accesses.getLoops().size();
    SmallVector<Avoided> others = rest && !isOfFewer ? std::move(*rest) : findAvoided(other, isKnown, plan.rows.get());
    if (plan.rows && !plan.rows->keepOff(others, /*areBefore=*/other < index, oracle)) {
      why = "loads its pointers from memory that may be in flight";
      return std::nullopt;
    }
    if (plan.rows)
      plan.rows->addArrays(others, strides);
    // A branch that waits and is entered in some steps only (output in each tenth one) keeps all of the loop in these.
    auto isTestKnown = [&](Value condition) {
      auto own = settings.ownLoops->find(chain.getUnits()[other].op);
      return own == settings.ownLoops->end() ? isKnown(condition) : llvm::all_of(own->second, isKnown);
    };
    Expr entered = occasional.test(other) && other < index ? inFlight.isEntered(other, isTestKnown) : Expr(1);
    bool isOptional = entered != Expr(1) && !plan.rows;
    if (crossed[index].test(other) && !isOptional) {
      tellObstacle(index);
      return std::nullopt;
    }
    // Loads moved before the loop avoid the others by a check there.
    auto isLookedUp = [&](Operation *op) { return plan.rows && plan.rows->looksUp(op); };
    auto soFar = isOfFewer || isOptional ? std::optional(interior) : std::nullopt;
    Operation *op = accesses.avoid(interior, others, /*areBefore=*/other < index, isLookedUp);
    if (op && isOfFewer) {
      interior = *soFar;
      op = accesses.avoid(interior, *rest, /*areBefore=*/other < index, isLookedUp);
    }
    if (isOptional && (op || crossed[index].test(other))) {
      interior = std::move(*soFar);
      noneIsEntered = noneIsEntered && Predicate::lessOrEqual(entered, Expr());
      plan.excluded.push_back(chain.getUnits()[other].op);
      op = nullptr;
    }
    if (op) {
      if (whole && obstacles[other].first >= 0 && findWavesWithout(other, index, avoided).any()) {
        *whole = other;
        return std::nullopt;
      }
      SourcePosition position = getSourcePosition(op->getLoc());
      // Do not report a loop that packs what is sent.
      if (before[index].none())
        return std::nullopt;
      why = "may touch data in flight, or depends on it, in every iteration" +
            (position.line ? " at " + toString(position) : std::string());
      return planInspection(index, avoided, why);
    }
    inFlight.noteHolders(other, plan.avoided);
    plan.isProducer |= other > index;
  }
  unsigned depth = interior.getDepth();
  if (depth == 0)
    return std::nullopt;
  plan.split.unit = unit;
  for (unsigned level = 0; level < depth; ++level) {
    plan.split.loops.push_back(accesses.getLoops()[level]);
    plan.split.touched.push_back(interior.getTouched(level));
  }
  plan.split.holds = findIndependence(plan, accesses);
  if (plan.rows)
    plan.split.holds = plan.split.holds && plan.rows->areEntriesKept(accesses);
  why = accesses.whyNotTwice(depth);
  if (why.empty() && !mayHold(plan.split.holds))
    why = "has iterations that depend on each other";
  plan.split.holds = plan.split.holds && noneIsEntered;
  for (const FootprintAnalysis::Loop &loop : plan.split.loops)
    plan.split.holds = plan.split.holds && loop.holds;
  if (why.empty() && plan.rows && !plan.rows->isComputable())
    why = "loads its pointers in a way that cannot be predicted before the loop";
  if (why.empty())
    why = whyNotSplit(plan, &accesses);
  if (!why.empty())
    return std::nullopt;
  estimate(plan.split, accesses.getLoops().size() - depth, settings.cost == CostModel::Measured);
  SmallVector<std::pair<Expr, Expr>> ends;
  for (unsigned level = 0; level < depth; ++level) {
    plan.ends.push_back(makePlaceholders(unit.op));
    auto &[before, after] = plan.ends.back();
    ends.push_back({Expr::symbol(before), Expr::symbol(after)});
  }
  // If the loop waits as a whole, others must avoid all of it.
  plan.waitsAsWhole =
      (before[index].any() || obstacles[index].first >= 0) && avoided.find_first() > static_cast<int>(index);
  if (!plan.waitsAsWhole)
    inFlight.keepRest(index, accesses.getRest(ends));
  return plan;
}

/// Plans an inspector, which finds at run time what expressions cannot tell. Only for loops that wait.
std::optional<Plan> ChainSplitter::planInspection(unsigned index, const llvm::BitVector &avoided, std::string &why) {
  if (avoided.find_last() > static_cast<int>(index) || crossed[index].anyCommon(avoided))
    return std::nullopt;
  Plan plan;
  SmallVector<unsigned> others;
  for (unsigned other : avoided.set_bits()) {
    inFlight.noteHolders(other, plan.avoided);
    if (getReason(other, index) != Reason::None)
      others.push_back(other);
  }
  std::string whyNot;
  plan.inspection =
      InspectorSearch(chain, oracle, *getFootprints(), /*mayRunEachTime=*/settings.cost == CostModel::None)
          .find(index, others, whyNot);
  if (plan.inspection) {
    plan.split.unit = chain.getUnits()[index];
    plan.split.loops.push_back(plan.inspection->loop);
    plan.split.touched.emplace_back();
    plan.split.holds = plan.inspection->holds;
    plan.split.reloads = plan.inspection->reloads;
    plan.split.keepsOrder = plan.inspection->keepsOrder;
    whyNot = whyNotSplit(plan);
    // The trip counts of inner loops are unknown.
    estimate(plan.split, /*depth=*/1, settings.cost == CostModel::Measured);
    // Parts of ordered folds must be few, and so must parallel regions.
    plan.inspection->hasRuns = !plan.inspection->keepsOrder &&
                               !isWorksharing(plan.inspection->loop.latch->getTerminator()) &&
                               llvm::none_of(plan.split.folds, [](const Fold &fold) { return fold.isOrdered; });
    plan.inspection->keepsLast = plan.split.keepsLast;
    plan.inspection->hasTiles = plan.inspection->isMeasured && plan.inspection->hasRuns && plan.split.folds.empty() &&
                                plan.inspection->isAllInLoop();
    if (plan.split.price) {
      plan.inspection->leastOfRun = plan.split.price->leastOfRun;
      plan.inspection->leastIterations = plan.split.price->leastIterations;
    }
  }
  if (whyNot.empty())
    return plan;
  why += "; inspecting its iterations at run time does not help: it " + whyNot;
  return std::nullopt;
}

/// Reports why a loop waits that cannot be split.
void ChainSplitter::tellObstacle(unsigned index) {
  auto [other, reason] = obstacles[index];
  if (other < 0)
    return;
  const Unit &unit = chain.getUnits()[index], &obstacle = chain.getUnits()[other];
  Location loc = getLoopLocation(unit);
  std::string why = getIntervalOf(other) ? "it " + describe(reason).str()
                    : reason == Reason::Value
                        ? comm::describe(obstacle) + " waits as well, and computes its input"
                        : comm::describe(obstacle) + " waits as well, and it " + describe(reason).str();
  remark::missed(loc, getRemarkOptions("NotSplit", unit.op))
      << "the loop at " << toString(getSourcePosition(loc)) << " waits as a whole: " << why;
}

/// Returns the avoided units of those waves before the loop that the unit is not part of.
llvm::BitVector ChainSplitter::findWavesWithout(unsigned unit, unsigned index, const llvm::BitVector &avoided) const {
  llvm::BitVector result(avoided.size());
  for (const llvm::BitVector &wave : wavesBefore[index])
    if (!wave.test(unit))
      result |= wave;
  result &= avoided;
  return result;
}

/// Plans to avoid the communications on both sides, or else those on one side. Of a communication before the loop whose
/// value every iteration needs (the sum of all processes from which a vector is computed, before its ghosts are
/// exchanged), the loop stays after it, and avoids the others.
std::optional<Plan> ChainSplitter::plan(unsigned index) {
  constexpr unsigned mostTrials = 3;
  std::optional<Plan> found;
  std::string why, whyNotAfter;
  bool isConsumer = before[index].any(), isProducer = after[index].any();
  if (isConsumer && isProducer) {
    llvm::BitVector both = before[index];
    both |= after[index];
    found = plan(index, both, why);
  }
  llvm::BitVector some = before[index];
  for (unsigned trial = 0; trial < mostTrials && !found && some.any(); ++trial) {
    std::optional<unsigned> whole;
    found = plan(index, some, why, &whole);
    if (!whole)
      break;
    some = findWavesWithout(*whole, index, some);
  }
  if (!found && isConsumer && some != before[index])
    found = plan(index, before[index], why);
  if (!found && isProducer)
    found = plan(index, after[index], whyNotAfter);
  if (found || (why.empty() && whyNotAfter.empty()))
    return found;
  const Unit &unit = chain.getUnits()[index];
  Location loc = getLoopLocation(unit);
  remark::missed(loc, getRemarkOptions("NotSplit", unit.op))
      << "the loop at " << toString(getSourcePosition(loc)) << " "
      << (isConsumer ? "waits as a whole: it " + why : "is finished before its results are sent: it " + whyNotAfter);
  return std::nullopt;
}

/// Returns the interval that the unit, a single operation, starts or ends in this chain.
std::optional<Interval> ChainSplitter::getIntervalOf(unsigned index) const {
  const Unit &unit = chain.getUnits()[index];
  if (unit.isPiece())
    return std::nullopt;
  auto wait = dyn_cast<WaitOp>(unit.op);
  Operation *start = wait ? wait.getRequest().getDefiningOp() : unit.op;
  std::optional<Interval> interval = start ? getInterval(start) : std::nullopt;
  bool isHere = interval && (interval->start == unit.op || interval->wait == unit.op) &&
                chain.findUnit(interval->start) >= 0 && chain.findUnit(interval->wait) >= 0;
  return isHere ? interval : std::nullopt;
}

/// Returns true if a wait may pass the other unit after a run-time check (comm-move-slices) that what it completes
/// touches nothing of that unit: the load of a size or pointer, or a branch that measures time (`if (profiles) seconds
/// += clock() - begin`). If the check is likely to succeed, the unit may also be another start, or a loop that computes
/// a value (the greatest speed, for the time step).
bool ChainSplitter::mayBeAsked(unsigned wait, unsigned other) {
  const Unit &first = chain.getUnits()[wait], &second = chain.getUnits()[other];
  bool mustBeLikely = isStartOfInterval(other) || (second.isLoop && givesValue(second));
  bool isAskable = mustBeLikely || onlyLoads(second, oracle);
  if (second.isPiece() && !second.isLoop)
    second.walk([&](Operation *op) { isAskable |= oracle.getBehavior(op).readsTime; });
  isAskable &= !first.isPiece() && isa<CompletionOpInterface>(first.op);
  if (!isAskable || (isWaitInMemory(first.op) && !isLeft(first.op) && !canBeGuardedInMemory(first.op)) ||
      getReason(wait, other) != Reason::Memory)
    return false;
  Condition condition = conditions.refine(first, second, chain);
  return !condition.isAlways() &&
         (!mustBeLikely || llvm::all_of(condition.getQuestions(), [](const Question &question) {
           return question.memory && question.memory->isUnlikely();
         }));
}

/// Returns true if a wait may pass a start after a run-time check (comm-move-slices) that no process observes anything
/// too early.
bool ChainSplitter::mayAskCause(unsigned wait, unsigned start) {
  return getReason(wait, start) == Reason::Cause && !dependence.getCondition(wait, start).isAlways();
}

/// Returns true if the value can be computed without waiting for these units.
bool ChainSplitter::isKnownBefore(Value value, const llvm::BitVector &avoided, unsigned depth) {
  constexpr unsigned mostDepth = 6;
  int definition = chain.findDefiningUnit(value);
  if (definition < 0)
    return true;
  const Unit &unit = chain.getUnits()[definition];
  bool isIndependent = llvm::all_of(avoided.set_bits(), [&](unsigned other) {
    return static_cast<int>(other) > definition ||
           (static_cast<int>(other) != definition &&
            (getReason(other, definition) == Reason::None || mayBeAsked(other, definition)));
  });
  isIndependent &= depth < mostDepth && (!unit.isPiece() || onlyLoads(unit, oracle));
  unit.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      isIndependent = isIndependent &&
                      (chain.findDefiningUnit(operand) == definition || isKnownBefore(operand, avoided, depth + 1));
  });
  return isIndependent;
}

/// Returns true for a branch with one arm that calls functions: output or a test in some of the steps, or a loop that
/// runs only if one of its iterations may leave. The guard of a loop holds almost always, and that of an exchange
/// wherever there is a neighbor.
bool ChainSplitter::isOccasional(unsigned index) const {
  const Unit &unit = chain.getUnits()[index];
  if (settings.ownLoops->contains(unit.op))
    return true;
  if (!getEntry(unit).first)
    return false;
  bool calls = false, exchanges = false;
  unit.walk([&](Operation *op) {
    auto mpiOp = dyn_cast<MPIOpInterface>(op);
    Matching::Kind kind = mpiOp ? mpiOp.getMatching().kind : Matching::Kind::None;
    exchanges |= isWaitInMemory(op) || kind == Matching::Kind::Send || kind == Matching::Kind::Receive ||
                 kind == Matching::Kind::SendReceive;
    calls |= mpiOp || (isa<CallOpInterface>(op) && !oracle.getBehavior(op).isPure());
  });
  return calls && !exchanges;
}

/// Adds the unit to each wave that it depends on or that depends on it. If only memory orders the unit and a wave, the
/// units of that wave can be avoided.
void ChainSplitter::meet(unsigned index, std::vector<Wave> &waves, llvm::BitVector &avoided) {
  SmallVector<Wave *> asked;
  for (Wave &wave : waves) {
    bool depends = false, mayPass = true, isAsked = false;
    for (unsigned other : wave.units.set_bits()) {
      Reason reason = getReason(other, index);
      // comm-move-slices decides, possibly at run time, whether a start must follow a wait. Code after the start need
      // not wait.
      if ((reason == Reason::Leaves || reason == Reason::Time) && other < index && isStartOfInterval(other))
        continue;
      if (other < index && mayBeAsked(other, index)) {
        isAsked = true;
        continue;
      }
      if (other < index && mayAskCause(other, index))
        continue;
      depends |= reason != Reason::None;
      if (isAboutMemory(reason))
        continue;
      if (other < index && obstacles[index].first < 0)
        obstacles[index] = {other, reason};
      // Where the branch is not entered, only values order the two.
      if (other < index && reason != Reason::Value && chain.getUnits()[index].isLoop && occasional.test(other))
        crossed[index].set(other);
      else
        mayPass = false;
    }
    if (depends && mayPass) {
      avoided |= wave.units;
      if (chain.getUnits()[index].isLoop && wave.origin < index)
        wavesBefore[index].push_back(wave.units);
    }
    if (depends)
      wave.units.set(index);
    else if (isAsked)
      asked.push_back(&wave);
  }
  // No check is made for a loop that becomes two: its interior avoids these waves as well.
  if (avoided.none() || !chain.getUnits()[index].isLoop)
    return;
  for (Wave *wave : asked) {
    avoided |= wave->units;
    if (wave->origin < index)
      wavesBefore[index].push_back(wave->units);
    wave->units.set(index);
  }
}

void ChainSplitter::findConsumers(ArrayRef<OwnWait> ownWaits) {
  std::vector<Wave> open;
  unsigned n = chain.getUnits().size();
  for (unsigned i = 0; i < n; ++i) {
    if (dependence.isFence(i) && !occasional.test(i))
      open.clear();
    llvm::erase_if(open, [&](const Wave &wave) { return i - wave.origin > settings.maxUnits; });
    meet(i, open, before[i]);
    std::optional<Interval> interval = getIntervalOf(i);
    bool isWait = (interval && interval->wait == chain.getUnits()[i].op) ||
                  llvm::any_of(ownWaits, [&](const OwnWait &wait) { return wait.unit == i; });
    if (isWait) {
      open.push_back({i, llvm::BitVector(n)});
      open.back().units.set(i);
    }
  }
}

void ChainSplitter::findProducers(ArrayRef<OwnWait> ownWaits) {
  std::vector<Wave> open;
  unsigned n = chain.getUnits().size();
  for (unsigned i = n; i-- > 0;) {
    if (dependence.isFence(i))
      open.clear();
    llvm::erase_if(open, [&](const Wave &wave) { return wave.origin - i > settings.maxUnits; });
    meet(i, open, after[i]);
    bool isStart = isStartOfInterval(i) ||
                   llvm::any_of(ownWaits, [&](const OwnWait &wait) { return llvm::is_contained(wait.startUnits, i); });
    if (isStart) {
      open.push_back({i, llvm::BitVector(n)});
      open.back().units.set(i);
    }
  }
}

void ChainSplitter::findPlans() {
  ArrayRef<Unit> units = chain.getUnits();
  before.assign(units.size(), llvm::BitVector(units.size()));
  crossed = after = before;
  wavesBefore.resize(units.size());
  occasional.resize(units.size());
  for (unsigned i = 0; i < units.size(); ++i)
    occasional[i] = isOccasional(i);
  obstacles.assign(units.size(), {-1, Reason::None});
  std::vector<OwnWait> ownWaits = findOwnWaits(chain, oracle);
  findConsumers(ownWaits);
  findProducers(ownWaits);
  SmallVector<unsigned> producers;
  for (unsigned i = 0; i < units.size(); ++i) {
    if (!units[i].isPiece() || !units[i].isLoop || settings.ownLoops->contains(units[i].op))
      continue;
    if (before[i].none() && after[i].none())
      tellObstacle(i);
    else if (before[i].none())
      producers.push_back(i);
    else if (std::optional<Plan> found = plan(i))
      plans.push_back(std::move(*found));
  }
  // A loop that computes for another producer avoids what that one leaves for the time before the start.
  for (unsigned i : llvm::reverse(producers))
    if (std::optional<Plan> found = plan(i))
      plans.push_back(std::move(*found));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Returns the number by which other operations refer to this one.
static int64_t getLabel(Operation *op, int64_t &next) {
  if (auto label = op->getAttrOfType<IntegerAttr>(kLabelAttrName))
    return label.getInt();
  op->setAttr(kLabelAttrName, Builder(op->getContext()).getI64IntegerAttr(next));
  return next++;
}

static SplitBounds apply(Plan &plan, InspectorCode &inspectors, ArrayRef<int64_t> labels, ArrayRef<int64_t> excluded) {
  Location loc = getLoopLocation(plan.split.unit);
  remark::passed(loc, getRemarkOptions("Split", plan.split.unit.op))
      << "splits the loop at " << toString(getSourcePosition(loc)) << ": "
      << (plan.split.loops.size() == 1 ? std::string("iterations")
                                       : "iterations of " + std::to_string(plan.split.loops.size()) + " nested loops")
      << (plan.isProducer ? " that touch nothing that is sent or received need no wait, and no start needs them"
                          : " that touch nothing in flight need not wait")
      << (plan.inspection ? ", and are found at run time" : "")
      << (plan.rows && plan.rows->mayBeUneven() ? ", if its rows are evenly spaced in memory" : "");
  auto exclude = [&](Operation *entry) {
    if (!excluded.empty())
      entry->setAttr(kExcludesAttrName, DenseI64ArrayAttr::get(entry->getContext(), excluded));
  };
  auto keepOff = [&](Operation *entry) {
    // Other interiors avoid the rest of this unit, or all of it if it waits as a whole.
    if (!plan.waitsAsWhole)
      entry->removeAttr(kLabelAttrName);
    entry->setAttr(kInteriorAttrName, DenseI64ArrayAttr::get(entry->getContext(), labels));
    exclude(entry);
  };
  InspectedInterior inspected;
  if (plan.inspection && plan.inspection->hasTiles) {
    SplitBounds bounds = computeBounds(plan.split);
    exclude(bounds.entry);
    Operation *entry = inspectors.emitTiles(*plan.inspection, bounds, inspected);
    bounds.measurements = inspected.measurements;
    bounds.runs = inspected.runs;
    keepOff(splitNest(plan.split, bounds));
    keepOff(entry);
    return bounds;
  }
  if (plan.inspection) {
    keepOff(inspectors.emit(*plan.inspection, plan.split.price.has_value(), inspected));
    // The iterations before and after the interior.
    TouchingIterations first{{Expr(), Expr::symbol(inspected.low)}, Predicate::always()};
    TouchingIterations last{{Expr::symbol(inspected.high), plan.split.loops.front().count}, Predicate::always()};
    plan.split.touched.front() = {first, last};
  }
  if (plan.rows)
    keepOff(plan.rows->emit(/*asks=*/plan.split.price.has_value()));
  addOrderedFolds(plan.split);
  SplitBounds bounds = computeBounds(plan.split);
  exclude(bounds.entry);
  bounds.measurements = inspected.measurements;
  if (inspected.runs)
    bounds.setRuns(*inspected.runs, plan.split.unit.op);
  keepOff(splitNest(plan.split, bounds));
  return bounds;
}

/// Splits small loops to whose ends other plans refer (walls between an exchange and a sweep) at any price: what their
/// interior does not cover has to wait, together with all loops that depend on it.
static void forgetPrices(std::vector<Plan> &plans) {
  for (const Plan &plan : plans)
    forEachNamed(plan.split, plans, [](Plan &named) {
      if (named.split.price)
        named.split.price = SplitPrice{1, 1};
    });
}

/// Replaces the placeholders for the ends of the interior by their values.
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

namespace {
/// What the chains of unchanged functions share.
class MemoryFacts {
public:
  explicit MemoryFacts(std::unique_ptr<MemoryOracle> owned) : oracle(std::move(owned)), conditions(*oracle) {}
  FootprintAnalysis *getFootprints() {
    if (!footprints)
      footprints = FootprintAnalysis::create(*oracle);
    return footprints->get();
  }

  const std::unique_ptr<MemoryOracle> oracle;
  FootprintConditions conditions;

private:
  /// Created on first use; null if there is none.
  std::optional<std::unique_ptr<FootprintAnalysis>> footprints;
};
} // namespace

void SplitIterations::runOnOperation() {
  auto hasInterval = [](Operation *root) {
    return root
        ->walk([](Operation *op) {
          bool isOne = getInterval(op) || op->hasAttr(kFollowedAttrName);
          return isOne ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  SmallVector<LLVM::LLVMFuncOp> functions =
      llvm::filter_to_vector(getOperation().getOps<LLVM::LLVMFuncOp>(), hasInterval);
  if (functions.empty())
    return;
  SmallVector<LLVM::LLVMFuncOp> hidden;
  for (LLVM::LLVMFuncOp function : functions) {
    mergeTwins(function.getBody());
    copyTails(function.getBody());
    bypassForwarders(function.getBody());
    if (hideScopesOfIterations(function.getBody()))
      hidden.push_back(function);
  }
  auto asked = llvm::to_vector_of<Operation *>(functions);
  std::unique_ptr<MemoryOracle> oracle;
  OwnLoops ownLoops = testExits(getOperation(), asked, oracle);
  // Plan everything first: the splits would make the analyses stale.
  std::vector<Plan> plans;
  {
    if (!oracle)
      oracle = MemoryOracle::create(getOperation(), asked);
    SiteProfile measured(getOperation(), cost == CostModel::Measured ? StringRef(profile) : "", /*warns=*/false);
    Settings settings;
    settings.profile = &measured;
    settings.dependence.relaxTimers = relaxTimers;
    settings.dependence.observers = observers;
    settings.dependence.sideChannels = sideChannels;
    settings.cost = cost;
    settings.anyOrder = anyOrder;
    settings.maxUnits = maxUnits;
    settings.ownLoops = &ownLoops;
    if (simplifyLoads(functions, *oracle, settings.dependence, /*isLast=*/true))
      oracle = MemoryOracle::create(getOperation(), asked);
    llvm::SmallSetVector<Operation *, 8> moved;
    for (LLVM::LLVMFuncOp function : functions)
      forEachRelevant(function.getBody(), [&](Chain &chain) {
        if (hoistAddresses(chain, *oracle, settings.dependence))
          moved.insert(function);
      });
    // Loads have moved within these functions, which does not change what calls of them do: the others stay as they
    // are.
    MemoryFacts ofOthers(std::move(oracle));
    std::optional<MemoryFacts> ofMoved;
    if (!moved.empty())
      ofMoved.emplace(MemoryOracle::create(getOperation(), moved.getArrayRef()));
    for (LLVM::LLVMFuncOp function : functions) {
      MemoryFacts &facts = moved.contains(function) ? *ofMoved : ofOthers;
      auto getFootprints = [&]() { return facts.getFootprints(); };
      settings.dependence.mayGuardExits = canGuardExits(function);
      ScopeTree scopes(function.getBody());
      unsigned numComparisons = 0;
      for (const std::unique_ptr<Chain> &chain : scopes.getChains())
        if (llvm::any_of(chain->getUnits(), hasWait))
          ChainSplitter(*chain, *facts.oracle, getFootprints, facts.conditions, settings, numComparisons, plans)
              .findPlans();
      settings.dependence.mayGuardExits = false;
    }
  }
  SmallPtrSet<Block *, 16> split;
  for (const Plan &plan : plans)
    split.insert_range(plan.split.unit.interior);
  for (LLVM::LLVMFuncOp function : hidden)
    settleScopes(function.getBody(), [&](Block *block) { return split.contains(block); });
  int64_t nextLabel = 1;
  auto getLabels = [&](SmallVector<Operation *> ops) {
    auto labels = llvm::map_to_vector(ops, [&](Operation *op) { return getLabel(op, nextLabel); });
    llvm::sort(labels);
    labels.erase(llvm::unique(labels), labels.end());
    return labels;
  };
  std::vector<SmallVector<int64_t>> labels, excluded;
  for (const Plan &plan : plans) {
    SmallVector<Operation *> avoided = plan.avoided;
    // Iterations are independent, so interior and rest may be swapped.
    if (plan.isProducer)
      avoided.push_back(plan.split.unit.op);
    labels.push_back(getLabels(std::move(avoided)));
    excluded.push_back(getLabels(plan.excluded));
  }
  forgetPrices(plans);
  InspectorCode inspectors;
  std::vector<SplitBounds> bounds;
  for (auto [plan, ofPlan, ofBranches] : llvm::zip_equal(plans, labels, excluded))
    bounds.push_back(apply(plan, inspectors, ofPlan, ofBranches));
  for (auto [plan, ofPlan] : llvm::zip_equal(plans, bounds)) {
    replaceEnds(plan, ofPlan);
    if (plan.rows)
      plan.rows->replaceResults();
  }
  numSplit += plans.size();
}
