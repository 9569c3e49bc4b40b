//===- MoveSlices.cpp - Widen overlap intervals ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "FootprintConditions.h"
#include "GuardQuestions.h"
#include "GuardThrows.h"
#include "GuardedWaits.h"
#include "OwnWaits.h"
#include "Schedule.h"
#include "SplitCost.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Demangle/Demangle.h"

namespace comm {
#define GEN_PASS_DEF_COMMMOVESLICES
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
// A communication that is under way at the same time hides its latency behind this one's.
constexpr unsigned startWeight = 4, callWeight = 16, loopWeight = 64;

struct MoveSlices : public comm::impl::CommMoveSlicesBase<MoveSlices> {
  using CommMoveSlicesBase::CommMoveSlicesBase;
  void runOnOperation() final;

private:
  /// Waits for requests in memory that a scope around theirs has told of.
  llvm::DenseSet<Operation *> told;
  void runOnChain(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options, ThrowingCalls &throwing,
                  GuardedWaits &guards);
  Observers inferObservers();
};

/// Units of one chain that are put into order together: no fence is among them.
struct Segment {
  unsigned begin, end;
};

/// What an interval contains, for the remark.
struct Contents {
  unsigned loops = 0, statements = 0, communications = 0, units = 0;
};

/// One chain while its communications are moved.
class ChainMotion {
public:
  ChainMotion(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options)
      : chain(chain), oracle(oracle), dependence(chain, oracle, options), ownWaits(findOwnWaits(chain, oracle)),
        questions(chain, oracle, dependence) {}

  SmallVector<Segment> findSegments(unsigned maxUnits) const;
  ScheduleProblem makeProblem(Segment segment);
  Contents describeContents(Segment segment, ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair) const;
  /// Adds the calls in the interval that may throw.
  void findThrowing(Segment segment, ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                    ThrowingCalls &throwing) const;
  /// Keeps waits for sends whose receivers may need them in front of computations that come after them.
  void keepCompletions(Segment segment, ScheduleProblem &problem, const SplitCost &cost);
  /// Why the pair's interval in that order is not worth having, if it is not.
  std::optional<std::string> whyUseless(Segment segment, ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                                        const SplitCost &cost);
  const WorkEstimate &estimateWork(unsigned unit);
  void explain(Segment segment, const ScheduleProblem::Pair &pair, StringRef prefix);
  /// Adds the conditions under which waits may not pass what they pass in that order.
  void findConditions(Segment segment, ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                      GuardedWaits &guards);

  /// Says of each wait for requests in memory what it overlaps in that order, or why it stays. Whether one gained.
  bool tellOwnWaits(Segment segment, const ScheduleProblem &problem, ArrayRef<unsigned> before,
                    ArrayRef<unsigned> order, unsigned minWeight, llvm::DenseSet<Operation *> &told);

  Chain &chain;
  MemoryOracle &oracle;
  Dependence dependence;
  std::vector<OwnWait> ownWaits;

private:
  /// Whether the first unit must stay before the second one, unless a guard may take its place.
  bool mustPrecede(unsigned first, unsigned second) {
    return dependence.mustPrecede(first, second) && !questions.canAskInstead(first, second);
  }

  GuardQuestions questions;
  /// Of the units that were asked about.
  llvm::DenseMap<unsigned, WorkEstimate> work;
};
} // namespace

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

static std::optional<unsigned> findWait(const Chain &chain, const Unit &unit) {
  if (unit.isPiece())
    return std::nullopt;
  std::optional<Interval> interval = getInterval(unit.op);
  if (!interval)
    return std::nullopt;
  int wait = chain.findUnit(interval->wait);
  if (wait < 0 || chain.getUnits()[wait].op != interval->wait)
    return std::nullopt;
  return wait;
}

/// The unit that waits, under a condition, before the wait.
static std::optional<unsigned> findGuard(const Chain &chain, const Unit &unit) {
  std::optional<Interval> interval = unit.isPiece() ? std::nullopt : getInterval(unit.op);
  if (!interval || !interval->guard)
    return std::nullopt;
  int guard = chain.findUnit(interval->guard);
  if (guard < 0 || chain.getUnits()[guard].op != interval->guard)
    return std::nullopt;
  return guard;
}

/// Whether both are halves of one MPI_Sendrecv, or its waits.
static bool areOneCall(Operation *a, Operation *b) {
  return isa<MPIOpInterface>(a) && isa<MPIOpInterface>(b) && a->getLoc() == b->getLoc() &&
         (a->hasAttr(kOriginAttrName) || b->hasAttr(kOriginAttrName));
}

/// Whether it starts one half of an MPI_Sendrecv.
static bool isHalf(Operation *op) { return op->hasAttr(kOriginAttrName) && !op->hasAttr(kProgramsIntervalAttrName); }

/// Lets the halves of each MPI_Sendrecv know each other: its receive is started right before its send.
static void pairHalves(ScheduleProblem &problem, llvm::function_ref<MPIOpInterface(unsigned)> getStart) {
  for (size_t i = 1; i < problem.pairs.size(); ++i) {
    ScheduleProblem::Pair &first = problem.pairs[i - 1], &second = problem.pairs[i];
    MPIOpInterface receive = getStart(first.start), send = getStart(second.start);
    if (isHalf(receive) && isHalf(send) && areOneCall(receive, send) &&
        receive.getMatching().kind == Matching::Kind::Receive && send.getMatching().kind == Matching::Kind::Send) {
      first.partner = second.start;
      second.partner = first.start;
    }
  }
}

static unsigned getWeight(const Unit &unit, bool isFree) {
  if (isFree)
    return 0;
  if (unit.isLoop)
    return loopWeight;
  unsigned weight = 0;
  unit.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return;
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
      // The two halves of a sendrecv are under way together anyway: they count once, as the send.
      if (getCommRole(op) == CommRole::Start)
        weight += isHalf(op) && mpiOp.getMatching().kind != Matching::Kind::Send ? 0 : startWeight;
      return;
    }
    if (op->getNumRegions() != 0)
      weight += loopWeight;
    else if (isa<CallOpInterface>(op))
      weight += callWeight;
    else if (!isMemoryEffectFree(op))
      weight += 1;
  });
  return weight;
}

namespace {
/// Lengths of segments in units that are compared with all others: those that are not free.
class BusyUnits {
public:
  explicit BusyUnits(const Dependence &dependence, unsigned n) {
    for (unsigned i = 0; i < n; ++i)
      if (!dependence.isFree(i))
        busy.push_back(i);
  }
  unsigned count(Segment segment) const { return find(segment.end) - find(segment.begin); }
  /// The unit that many busy ones after or before another one, or the end or the begin of the chain.
  unsigned after(unsigned unit, unsigned number, unsigned end) const {
    return busy.end() - find(unit) > number ? std::min(end, find(unit)[number]) : end;
  }
  unsigned before(unsigned unit, unsigned number, unsigned begin) const {
    return find(unit) - busy.begin() > number ? std::max(begin, find(unit)[-static_cast<int>(number)]) : begin;
  }

private:
  std::vector<unsigned>::const_iterator find(unsigned unit) const { return llvm::lower_bound(busy, unit); }
  std::vector<unsigned> busy;
};
} // namespace

/// Cuts a segment that is too long: all its units are compared with each other. No cut goes through an interval, so
/// that each start is scheduled together with its wait.
static void cut(Segment segment, unsigned maxUnits, const BusyUnits &busy,
                ArrayRef<std::pair<unsigned, unsigned>> intervals, SmallVectorImpl<Segment> &segments) {
  // Where an interval is open: between unit i - 1 and unit i.
  llvm::BitVector isOpen(segment.end + 1);
  for (auto [start, wait] : intervals)
    isOpen.set(start + 1, wait + 1);
  while (busy.count(segment) > 2 * maxUnits) {
    int place = isOpen.find_first_unset_in(busy.after(segment.begin, maxUnits, segment.end), segment.end);
    if (place < 0)
      break;
    segments.push_back({segment.begin, static_cast<unsigned>(place)});
    segment.begin = place;
  }
  segments.push_back(segment);
}

SmallVector<Segment> ChainMotion::findSegments(unsigned maxUnits) const {
  SmallVector<Segment> segments;
  SmallVector<std::pair<unsigned, unsigned>> intervals;
  unsigned n = chain.getUnits().size(), begin = 0;
  BusyUnits busy(dependence, n);
  for (unsigned i = 0; i <= n; ++i) {
    if (i < n && !dependence.isFence(i))
      continue;
    // A segment is interesting around its communications.
    int first = -1, last = -1;
    for (unsigned unit = begin; unit < i; ++unit)
      if (std::optional<unsigned> wait = findWait(chain, chain.getUnits()[unit]); wait && *wait < i) {
        first = first < 0 ? unit : first;
        last = std::max<int>(last, *wait);
        intervals.emplace_back(unit, *wait);
      }
    for (const OwnWait &wait : ownWaits) {
      if (wait.unit < begin || wait.unit >= i)
        continue;
      unsigned start = wait.unit;
      for (unsigned unit : wait.startUnits)
        if (unit >= begin)
          start = std::min(start, unit);
      first = first < 0 ? start : std::min<int>(first, start);
      last = std::max<int>(last, wait.unit);
      intervals.emplace_back(start, wait.unit);
    }
    unsigned margin = maxUnits / 2;
    if (first >= 0)
      cut({busy.before(first, margin, begin), busy.after(last + 1, margin, i)}, maxUnits, busy, intervals, segments);
    intervals.clear();
    begin = i + 1;
  }
  return segments;
}

ScheduleProblem ChainMotion::makeProblem(Segment segment) {
  ScheduleProblem problem;
  unsigned n = segment.end - segment.begin;
  problem.units.resize(n);
  problem.predecessors.assign(n, llvm::BitVector(n));
  for (unsigned v = 0; v < n; ++v) {
    const Unit &unit = chain.getUnits()[segment.begin + v];
    problem.units[v].isFree = dependence.isFree(segment.begin + v);
    problem.units[v].weight = getWeight(unit, problem.units[v].isFree);
    problem.units[v].isPinned = isa<LLVM::AllocaOp>(unit.op) && unit.op->getBlock()->isEntryBlock();
    dependence.forEachPredecessor(segment.begin + v, segment.begin, [&](unsigned first) {
      if (!questions.canAskInstead(first, segment.begin + v))
        problem.predecessors[v].set(first - segment.begin);
    });
    if (std::optional<unsigned> wait = findWait(chain, unit); wait && *wait >= segment.begin && *wait < segment.end) {
      problem.pairs.push_back({v, *wait - segment.begin, false, unit.op->hasAttr(kProgramsIntervalAttrName)});
      if (std::optional<unsigned> guard = findGuard(chain, unit)) {
        problem.pairs.back().guard = *guard - segment.begin;
        questions.addGuard(*wait, *guard);
      }
    }
  }
  for (const ScheduleProblem::Pair &pair : problem.pairs) {
    if (pair.guard < 0)
      continue;
    problem.predecessors[pair.wait].set(pair.guard);
    // What it asks must be known.
    unsigned wait = segment.begin + pair.wait;
    for (unsigned v = wait + 1; v < segment.end; ++v)
      questions.forEachProvider(wait, v, [&](unsigned provider) {
        if (provider >= segment.begin)
          problem.predecessors[pair.guard].set(provider - segment.begin);
      });
  }
  pairHalves(problem, [&](unsigned unit) { return cast<MPIOpInterface>(chain.getUnits()[segment.begin + unit].op); });
  addPairs(ownWaits, segment.begin, segment.end, problem);
  // Waits may cross what throws as a landing pad waits too, which is made for pairs alone.
  for (unsigned v = 0; v < n; ++v) {
    bool isOfPair = llvm::any_of(problem.pairs, [&](const ScheduleProblem::Pair &pair) {
      return pair.wait == v || pair.guard == static_cast<int>(v);
    });
    if (isOfPair || getCommRole(chain.getUnits()[segment.begin + v].op) != CommRole::Completion)
      continue;
    for (unsigned later = v + 1; later < n; ++later)
      if (!dependence.getThrowing(segment.begin + later).empty())
        problem.predecessors[later].set(v);
  }
  return problem;
}

Contents ChainMotion::describeContents(Segment segment, ArrayRef<unsigned> order,
                                       const ScheduleProblem::Pair &pair) const {
  Contents contents;
  bool inside = pair.startsBefore;
  for (unsigned i : order) {
    if (i == pair.wait)
      break;
    const Unit &unit = chain.getUnits()[segment.begin + i];
    if (inside && !dependence.isFree(segment.begin + i) && !isa<MPIOpInterface>(unit.op)) {
      contents.loops += unit.isLoop || unit.op->getNumRegions() != 0;
      ++contents.units;
      unit.walk([&](Operation *op) { contents.statements += !isMemoryEffectFree(op) && op->getNumRegions() == 0; });
    }
    // An MPI_Sendrecv counts once, and not for itself.
    if (auto other = dyn_cast<MPIOpInterface>(unit.op);
        inside && other && !unit.isPiece() && static_cast<int>(i) != pair.partner &&
        (!isHalf(other) || other.getMatching().kind == Matching::Kind::Send))
      contents.communications += other.isAsync();
    inside |= i == pair.start;
  }
  return contents;
}

const WorkEstimate &ChainMotion::estimateWork(unsigned index) {
  auto [it, isNew] = work.try_emplace(index);
  WorkEstimate &estimate = it->second;
  const Unit &unit = chain.getUnits()[index];
  if (isNew)
    unit.walk([&](Operation *op) { estimate.add(oracle.estimateWork(op, unit.op)); });
  return estimate;
}

void ChainMotion::keepCompletions(Segment segment, ScheduleProblem &problem, const SplitCost &cost) {
  // A statement keeps nobody waiting.
  constexpr uint64_t shortWork = 300;
  for (const ScheduleProblem::Pair &pair : problem.pairs) {
    if (pair.isProgramsOwn ||
        !cost.delaysReceiver(cast<MPIOpInterface>(chain.getUnits()[segment.begin + pair.start].op)))
      continue;
    for (unsigned v = pair.wait + 1; v < problem.units.size(); ++v) {
      const Unit &unit = chain.getUnits()[segment.begin + v];
      bool isCommunication = !unit.isPiece() && isa<MPIOpInterface>(unit.op);
      if (!problem.units[v].isFree && !isCommunication && !estimateWork(segment.begin + v).isAtMost(shortWork))
        problem.predecessors[v].set(pair.wait);
    }
  }
}

std::optional<std::string> ChainMotion::whyUseless(Segment segment, ArrayRef<unsigned> order,
                                                   const ScheduleProblem::Pair &pair, const SplitCost &cost) {
  auto start = cast<MPIOpInterface>(chain.getUnits()[segment.begin + pair.start].op);
  WorkEstimate hidden;
  SmallVector<MPIOpInterface> others;
  bool inside = false;
  for (unsigned i : order) {
    if (i == pair.wait)
      break;
    const Unit &unit = chain.getUnits()[segment.begin + i];
    auto mpiOp = unit.isPiece() ? MPIOpInterface() : dyn_cast<MPIOpInterface>(unit.op);
    if (inside && mpiOp && getCommRole(mpiOp) == CommRole::Start) {
      if (static_cast<int>(i) != pair.partner)
        others.push_back(mpiOp);
    } else if (inside && !dependence.isFree(segment.begin + i) && getCommRole(unit.op) != CommRole::Completion) {
      hidden.add(estimateWork(segment.begin + i));
    }
    inside |= i == pair.start;
  }
  return cost.whyNot(start, hidden, others);
}

void ChainMotion::findThrowing(Segment segment, ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                               ThrowingCalls &throwing) const {
  if (pair.isInMemory)
    return; // its wait passes nothing that may throw
  Value request = cast<MPIOpInterface>(chain.getUnits()[segment.begin + pair.start].op).getOutcome("request");
  bool inside = false;
  for (unsigned unit : order) {
    if (unit == pair.wait)
      return;
    // What the program itself has in the interval may throw as it did before.
    if (inside && unit > pair.wait)
      for (Operation *call : dependence.getThrowing(segment.begin + unit))
        throwing[call].push_back(request);
    inside |= unit == pair.start;
  }
}

void ChainMotion::findConditions(Segment segment, ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                                 GuardedWaits &guards) {
  if (pair.guard < 0)
    return;
  auto guard = cast<WaitIfOp>(chain.getUnits()[segment.begin + pair.guard].op);
  unsigned wait = segment.begin + pair.wait;
  for (unsigned unit : order) {
    if (unit == pair.wait)
      return;
    if (unit > pair.wait && questions.canAskInstead(wait, segment.begin + unit))
      guards.require(guard, dependence.getCondition(wait, segment.begin + unit));
  }
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static std::string describeUnit(const Unit &unit) {
  std::string what = "the statement";
  if (unit.isLoop)
    what = "the loop";
  else if (unit.isPiece() && !unit.interior.empty())
    what = "the branch";
  else if (auto mpiOp = dyn_cast<MPIOpInterface>(unit.op))
    what = getDisplayName(mpiOp).str();
  else if (auto call = dyn_cast<CallOpInterface>(unit.op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      what = "the call of " + llvm::demangle(callee.getRootReference().getValue());
  SourcePosition position = getSourcePosition(unit.op->getLoc());
  return position.line ? what + " at " + toString(position) : what;
}

static std::string count(unsigned n, StringRef what) {
  return (llvm::Twine(n) + " " + what + (n == 1 ? "" : "s")).str();
}

/// "3 loops, 13 statements". A communication that overlaps only others hides its latency behind theirs.
static std::string describe(const Contents &contents) {
  if (contents.loops == 0 && contents.statements == 0 && contents.communications != 0)
    return count(contents.communications, "other communication");
  return count(contents.loops, "loop") + ", " + count(contents.statements, "statement");
}

/// The nearest units before and after the communication that it cannot cross.
void ChainMotion::explain(Segment segment, const ScheduleProblem::Pair &pair, StringRef prefix) {
  auto start = cast<MPIOpInterface>(chain.getUnits()[segment.begin + pair.start].op);
  std::string text;
  auto isGuard = [&](unsigned unit) { return isa<WaitIfOp>(chain.getUnits()[unit].op); };
  auto note = [&](StringRef where, unsigned unit, Reason reason) {
    text += (where + describeUnit(chain.getUnits()[unit]) + " " + comm::describe(reason)).str();
  };
  unsigned wait = segment.begin + pair.wait, first = segment.begin + pair.start;
  for (unsigned unit = wait + 1; unit < chain.getUnits().size(); ++unit)
    if (Reason reason = dependence.getReason(wait, unit);
        mustPrecede(wait, unit) && !isGuard(unit) && !areOneCall(start, chain.getUnits()[unit].op)) {
      note("; after it, ", unit, reason);
      break;
    }
  for (unsigned unit = first; unit-- > 0;)
    if (Reason reason = dependence.getReason(unit, first); mustPrecede(unit, first) && !isGuard(unit) &&
                                                           !dependence.isFree(unit) &&
                                                           !areOneCall(start, chain.getUnits()[unit].op)) {
      note("; before it, ", unit, reason);
      break;
    }
  if (text.empty())
    text = "; it is alone in its scope";
  remark::missed(start.getLoc(),
                 remark::RemarkOpts::name("NoOverlap").category("comm-move-slices").function(getFunctionName(start)))
      << getDisplayName(start) << " " << prefix << text;
}

bool ChainMotion::tellOwnWaits(Segment segment, const ScheduleProblem &problem, ArrayRef<unsigned> before,
                               ArrayRef<unsigned> order, unsigned minWeight, llvm::DenseSet<Operation *> &told) {
  bool gained = false;
  for (const OwnWait &wait : ownWaits) {
    // The interval of the first start is the longest one.
    const ScheduleProblem::Pair *longest = nullptr;
    unsigned had = 0, has = 0;
    for (const ScheduleProblem::Pair &pair : problem.pairs) {
      if (!pair.isInMemory || segment.begin + pair.wait != wait.unit)
        continue;
      had = std::max(had, getIntervalWeight(problem, before, pair));
      unsigned weight = getIntervalWeight(problem, order, pair);
      if (!longest || weight > has)
        longest = &pair;
      has = std::max(has, weight);
    }
    if (!longest)
      continue;
    auto named = [&](StringRef name) {
      return remark::RemarkOpts::name(name).category("comm-move-slices").function(getFunctionName(wait.wait));
    };
    if (has >= had + minWeight) {
      gained = true;
      told.insert(wait.wait);
      std::string contents = ::describe(describeContents(segment, order, *longest));
      if (had >= minWeight)
        contents += " instead of " + ::describe(describeContents(segment, before, *longest));
      remark::passed(wait.wait->getLoc(), named("Overlap")) << comm::describe(wait) << " overlaps " << contents;
      markChanged(wait.wait);
      continue;
    }
    // The end of the life of its memory comes after it anyway.
    auto isEnd = [&](unsigned unit) {
      auto call = dyn_cast<CallOpInterface>(chain.getUnits()[unit].op);
      return isa<LLVM::LifetimeEndOp>(chain.getUnits()[unit].op) || (call && isDeallocation(call));
    };
    std::string cause = "nothing comes after it in its scope that it could pass";
    for (unsigned unit = wait.unit + 1; unit < chain.getUnits().size(); ++unit)
      if (Reason reason = dependence.getReason(wait.unit, unit); reason != Reason::None && !isEnd(unit)) {
        cause = "after it, " + describeUnit(chain.getUnits()[unit]) + " " + comm::describe(reason).str();
        break;
      }
    if (told.insert(wait.wait).second)
      remark::missed(wait.wait->getLoc(), named("NoOverlap"))
          << comm::describe(wait) << " stays where it is: " << cause;
  }
  return gained;
}

static void tellUseless(MPIOpInterface start, StringRef why) {
  remark::missed(
      start.getLoc(),
      remark::RemarkOpts::name("NotWorthwhile").category("comm-move-slices").function(getFunctionName(start)))
      << getDisplayName(start) << " stays blocking: its interval " << why;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Finds an order in which every pair has an interval worth having or its wait right after its start.
static Order schedule(ScheduleProblem &problem, MotionMode mode,
                      llvm::function_ref<bool(ArrayRef<unsigned>, const ScheduleProblem::Pair &)> isWorthHaving) {
  // Giving up a pair changes the intervals of others, so look again; each round gives up at least one.
  while (true) {
    Order order = mode == MotionMode::Basic ? scheduleBasic(problem) : scheduleExtended(problem);
    bool changed = false;
    for (ScheduleProblem::Pair &pair : problem.pairs)
      if (!pair.isGivenUp && !pair.isProgramsOwn && !isWorthHaving(order, pair))
        changed = pair.isGivenUp = true;
    if (!changed)
      return order;
  }
}

void MoveSlices::runOnChain(Chain &chain, MemoryOracle &oracle, const DependenceOptions &options,
                            ThrowingCalls &throwing, GuardedWaits &guards) {
  auto isMovable = [&](const Unit &unit) {
    bool isOwn = false;
    unit.walk([&](Operation *op) { isOwn |= op->hasAttr(kFollowedAttrName); });
    return isOwn || findWait(chain, unit);
  };
  if (llvm::none_of(chain.getUnits(), isMovable))
    return;
  ChainMotion motion(chain, oracle, options);
  std::optional<SplitCost> costs;
  if (cost == CostModel::Measured)
    costs.emplace(getOperation(), abi);
  Order whole(llvm::to_vector(llvm::seq<unsigned>(0, chain.getUnits().size())));
  bool moved = false;
  for (Segment segment : motion.findSegments(maxUnits)) {
    ScheduleProblem problem = motion.makeProblem(segment);
    if (costs)
      motion.keepCompletions(segment, problem, *costs);
    // Of starts that stay with their waits although something could go between.
    llvm::DenseMap<unsigned, std::string> useless;
    Order order = schedule(problem, mode, [&](ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair) {
      if (getIntervalWeight(problem, order, pair) < minWeight)
        return false;
      auto why = costs ? motion.whyUseless(segment, order, pair, *costs) : std::nullopt;
      if (why)
        useless[pair.start] = *why;
      return !why;
    });
    Order before(llvm::to_vector(llvm::seq<unsigned>(0, problem.units.size())));
    bool gained = motion.tellOwnWaits(segment, problem, before, order, minWeight, told);
    numWidened += gained;
    for (const ScheduleProblem::Pair &pair : problem.pairs) {
      if (pair.isInMemory)
        continue;
      auto start = cast<MPIOpInterface>(chain.getUnits()[segment.begin + pair.start].op);
      unsigned weight = getIntervalWeight(problem, order, pair), had = getIntervalWeight(problem, before, pair);
      if (pair.isGivenUp || weight < had + minWeight) {
        ++numUnchanged;
        // Of the halves of a sendrecv the first one speaks for both, unless the other overlaps something.
        bool isTold = llvm::any_of(problem.pairs, [&](const ScheduleProblem::Pair &other) {
          return static_cast<int>(other.start) == pair.partner && (!other.isGivenUp || other.start < pair.start);
        });
        if (auto why = useless.find(pair.start); why != useless.end() && !isTold)
          tellUseless(start, why->second);
        else if (had < minWeight && !isTold)
          motion.explain(segment, pair, "overlaps nothing");
        continue;
      }
      gained = true;
      ++numWidened;
      Contents contents = motion.describeContents(segment, order, pair);
      numMovedUnits += contents.units;
      std::string overlaps = describe(contents);
      if (had >= minWeight)
        overlaps += " instead of " + describe(motion.describeContents(segment, before, pair));
      remark::passed(start.getLoc(),
                     remark::RemarkOpts::name("Overlap").category("comm-move-slices").function(getFunctionName(start)))
          << getDisplayName(start) << " at " << toString(getSourcePosition(start.getLoc())) << " overlaps " << overlaps;
      markChanged(start);
    }
    if (!gained)
      continue; // nothing moves for nothing
    moved = true;
    for (const ScheduleProblem::Pair &pair : problem.pairs) {
      motion.findThrowing(segment, order, pair, throwing);
      motion.findConditions(segment, order, pair, guards);
    }
    for (auto [i, unit] : llvm::enumerate(order))
      whole[segment.begin + i] = segment.begin + unit;
  }
  if (moved)
    chain.reorder(whole);
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
  options.startsAreUnseen = startsAreUnseen;
  // Before the oracle looks at the module.
  llvm::MapVector<Operation *, GuardedWaits> guards;
  for (auto function : getOperation().getOps<FunctionOpInterface>())
    if (hasInterval(function))
      guards.insert({function, GuardedWaits(function)});
  {
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(getOperation());
    FootprintConditions refiner(*oracle);
    options.refiner = &refiner;
    for (auto &[op, waits] : guards) {
      auto function = cast<FunctionOpInterface>(op);
      ScopeTree scopes(function.getFunctionBody());
      // The related work stops at anything that may leave.
      options.mayGuardThrows = mode == MotionMode::Extended && canGuardThrows(function);
      ThrowingCalls throwing;
      for (const std::unique_ptr<Chain> &chain : scopes.getChains())
        runOnChain(*chain, *oracle, options, throwing, waits);
      guardThrows(throwing); // last: it splits blocks
    }
  }
  for (auto &[function, waits] : guards)
    waits.finish();
}
