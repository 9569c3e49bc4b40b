//===- ChainMotion.cpp - Move communications in one chain -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/ChainMotion.h"

#include "Motion/LeftWaits.h"

#include "Comm/Analysis/Memory/RegionCalls.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace comm;

// A communication in flight at the same time counts, since this one hides its latency.
static constexpr unsigned startWeight = 4, callWeight = 16, loopWeight = 64;

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Returns the unit that consists of the operation.
static std::optional<unsigned> findUnitOf(const Chain &chain, Operation *op) {
  int index = op ? chain.findUnit(op) : -1;
  return index >= 0 && chain.getUnits()[index].op == op ? std::optional<unsigned>(index) : std::nullopt;
}

std::optional<unsigned> comm::findWait(const Chain &chain, const Unit &unit) {
  std::optional<Interval> interval = unit.isPiece() ? std::nullopt : getInterval(unit.op);
  return interval ? findUnitOf(chain, interval->wait) : std::nullopt;
}

/// Returns the unit that waits under a condition before the wait.
static std::optional<unsigned> findGuard(const Chain &chain, const Unit &unit) {
  std::optional<Interval> interval = unit.isPiece() ? std::nullopt : getInterval(unit.op);
  return interval && interval->guard ? findUnitOf(chain, interval->guard) : std::nullopt;
}

/// Likewise for a wait for requests in memory.
static std::optional<unsigned> findGuardUnitInMemory(const Chain &chain, const Unit &unit) {
  return unit.isPiece() ? std::nullopt : findUnitOf(chain, findGuardInMemory(unit.op));
}

bool comm::areOneCall(Operation *a, Operation *b) {
  return isa<MPIOpInterface>(a) && isa<MPIOpInterface>(b) && a->getLoc() == b->getLoc() &&
         (a->hasAttr(kOriginAttrName) || b->hasAttr(kOriginAttrName));
}

/// Links the halves of each MPI_Sendrecv: its receive is started right before its send.
static void pairHalves(ScheduleProblem &problem, llvm::function_ref<MPIOpInterface(unsigned)> getStart) {
  for (size_t i = 1; i < problem.pairs.size(); ++i) {
    ScheduleProblem::Pair &first = problem.pairs[i - 1], &second = problem.pairs[i];
    MPIOpInterface receive = getStart(first.start), send = getStart(second.start);
    if (areHalvesOfOneCall(receive, send) && receive.getMatching().kind == Matching::Kind::Receive &&
        send.getMatching().kind == Matching::Kind::Send) {
      first.partner = second.start;
      second.partner = first.start;
    }
  }
}

/// Returns the number of loops in the unit that contain the operation.
unsigned ChainMotion::getLoopDepth(Operation *op, const Unit &unit) {
  if (!unit.isPiece() || op->getParentRegion() != chain.getBlocks().front()->getParent())
    return 0;
  Region *region = op->getParentRegion();
  auto it = blocks.loops.find(region);
  if (it == blocks.loops.end())
    it = blocks.loops.try_emplace(region, blocks.dominance.getDomTree(region)).first;
  auto getDepth = [&](Block *block) { return it->second.getLoopDepth(block); };
  unsigned depth = getDepth(op->getBlock()), around = getDepth(chain.getBlocks().front());
  return depth > around ? depth - around : 0;
}

unsigned ChainMotion::getWeight(const Unit &unit, bool isFree) {
  if (isFree)
    return 0;
  // Operations in loops count as if each loop had 16 iterations.
  constexpr unsigned iterationBits = 4, mostLoops = 3;
  unsigned weight = unit.isLoop ? loopWeight : 0;
  unit.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return;
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
      // The two halves of a sendrecv are in flight together anyway: count them once, as the send.
      if (getCommRole(op) == CommRole::Start)
        weight += isHalf(op) && mpiOp.getMatching().kind != Matching::Kind::Send ? 0 : startWeight;
      return;
    }
    if (op->getNumRegions() != 0)
      weight += loopWeight;
    else if (isa<CallOpInterface>(op))
      weight += isRegionCall(op) ? loopWeight : callWeight;
    else if (!isMemoryEffectFree(op))
      weight += 1u << (iterationBits * std::min(getLoopDepth(op, unit), mostLoops));
  });
  return weight;
}

ScheduleProblem ChainMotion::makeProblem(Segment segment) {
  ScheduleProblem problem;
  unsigned n = segment.end - segment.begin;
  problem.units.resize(n);
  problem.predecessors.assign(n, llvm::BitVector(n));
  llvm::DenseMap<unsigned, unsigned> guardsInMemory;
  for (unsigned v = 0; v < n; ++v) {
    const Unit &unit = chain.getUnits()[segment.begin + v];
    problem.units[v].isFree = dependence.isFree(segment.begin + v);
    problem.units[v].weight = getWeight(unit, problem.units[v].isFree);
    problem.units[v].isPinned = isa<LLVM::AllocaOp>(unit.op) && unit.op->getBlock()->isEntryBlock();
    dependence.forEachPredecessor(segment.begin + v, segment.begin, [&](unsigned first) {
      if (!questions.canAskInstead(first, segment.begin + v))
        problem.predecessors[v].set(first - segment.begin);
    });
    if (std::optional<unsigned> guard = findGuardUnitInMemory(chain, unit); guard && *guard >= segment.begin) {
      guardsInMemory[v] = *guard - segment.begin;
      questions.addGuard(segment.begin + v, *guard);
    }
    if (std::optional<unsigned> wait = findWait(chain, unit); wait && *wait >= segment.begin && *wait < segment.end) {
      problem.pairs.push_back({v, *wait - segment.begin, false, unit.op->hasAttr(kProgramsIntervalAttrName)});
      if (std::optional<unsigned> guard = findGuard(chain, unit)) {
        problem.pairs.back().guard = *guard - segment.begin;
        questions.addGuard(*wait, *guard);
      }
    }
  }
  pairHalves(problem, [&](unsigned unit) { return cast<MPIOpInterface>(chain.getUnits()[segment.begin + unit].op); });
  addPairs(ownWaits, segment.begin, segment.end, problem);
  for (ScheduleProblem::Pair &pair : problem.pairs)
    if (auto guard = guardsInMemory.find(pair.wait); guard != guardsInMemory.end())
      pair.guard = guard->second;
  for (ScheduleProblem::Pair &pair : problem.pairs) {
    ArrayRef<Operation *> starts = getStarts(segment, pair);
    pair.isSend = !starts.empty() && llvm::all_of(starts, [](Operation *start) {
      return cast<MPIOpInterface>(start).getMatching().kind == Matching::Kind::Send;
    });
  }
  for (const ScheduleProblem::Pair &pair : problem.pairs) {
    if (pair.guard < 0)
      continue;
    problem.predecessors[pair.wait].set(pair.guard);
    // What the guard asks about must be known.
    unsigned wait = segment.begin + pair.wait;
    for (unsigned v = wait + 1; v < segment.end; ++v)
      questions.forEachProvider(wait, v, [&](unsigned provider) {
        if (provider >= segment.begin)
          problem.predecessors[pair.guard].set(provider - segment.begin);
      });
  }
  keepWhatCopiesNeed(segment, problem);
  return problem;
}

ArrayRef<Operation *> ChainMotion::getStarts(Segment segment, const ScheduleProblem::Pair &pair) const {
  if (!pair.isInMemory)
    return chain.getUnits()[segment.begin + pair.start].op;
  auto own = llvm::find_if(ownWaits, [&](const OwnWait &wait) { return wait.unit == segment.begin + pair.wait; });
  return own->starts;
}

MPIOpInterface ChainMotion::getStart(Segment segment, const ScheduleProblem::Pair &pair) const {
  return cast<MPIOpInterface>(getStarts(segment, pair).front());
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
      unit.walk([&](Operation *op) {
        bool isRegion = isRegionCall(op);
        contents.regions += isRegion;
        contents.statements += !isRegion && !isMemoryEffectFree(op) && op->getNumRegions() == 0;
      });
    }
    // Count an MPI_Sendrecv once, and not in its own interval.
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

/// Returns the units between the pair's start and wait in that order.
static llvm::SmallDenseSet<unsigned> getUnitsBetween(ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair) {
  llvm::SmallDenseSet<unsigned> units;
  bool inside = pair.startsBefore;
  for (unsigned i : order) {
    if (i == pair.wait)
      break;
    if (inside)
      units.insert(i);
    inside |= i == pair.start;
  }
  return units;
}

std::optional<std::string> ChainMotion::whyNoGain(Segment segment, ArrayRef<unsigned> before, ArrayRef<unsigned> order,
                                                  const ScheduleProblem::Pair &pair) {
  llvm::SmallDenseSet<unsigned> had = getUnitsBetween(before, pair);
  WorkEstimate gain;
  for (unsigned i : getUnitsBetween(order, pair)) {
    const Unit &unit = chain.getUnits()[segment.begin + i];
    if (had.contains(i) || dependence.isFree(segment.begin + i) || getCommRole(unit.op) == CommRole::Completion)
      continue;
    // Another communication may take arbitrarily long.
    if (!unit.isPiece() && getCommRole(unit.op) == CommRole::Start)
      return std::nullopt;
    gain.add(estimateWork(segment.begin + i));
  }
  if (SplitCost::isWorthHiding(gain))
    return std::nullopt;
  return llvm::formatv("gains nothing: the additional work that it could overlap takes at most about {0} ns",
                       gain.getNanoseconds());
}

WorkEstimate ChainMotion::estimateComputation(unsigned index) {
  WorkEstimate estimate;
  const Unit &unit = chain.getUnits()[index];
  unit.walk([&](Operation *op) {
    if (!isa<MPIOpInterface>(op))
      estimate.add(oracle.estimateWork(op, unit.op));
  });
  return estimate;
}

void ChainMotion::keepCompletions(Segment segment, ScheduleProblem &problem, const SplitCost &cost) {
  // A statement keeps no receiver waiting, nor does another communication: MPI progresses in it.
  constexpr uint64_t shortWork = 300;
  SmallVector<unsigned> waits;
  for (const ScheduleProblem::Pair &pair : problem.pairs)
    if (!pair.isProgramsOwn && cost.delaysReceiver(getStart(segment, pair)))
      waits.push_back(pair.wait);
  if (waits.empty())
    return;
  for (unsigned v = *llvm::min_element(waits) + 1; v < problem.units.size(); ++v) {
    if (problem.units[v].isFree || estimateComputation(segment.begin + v).isAtMost(shortWork))
      continue;
    for (unsigned wait : waits)
      if (wait < v)
        problem.predecessors[v].set(wait);
  }
}

/// Whether the unit computes the bounds of an interior: work that the program has because of Comm.
static bool computesBounds(const Unit &unit) {
  return llvm::any_of(unit.interior, [](Block *block) { return block->getTerminator()->hasAttr(kBoundsAttrName); });
}

std::optional<std::string> ChainMotion::whyUseless(Segment segment, ArrayRef<unsigned> order,
                                                   const ScheduleProblem::Pair &pair, const SplitCost &cost) {
  MPIOpInterface start = getStart(segment, pair);
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
    } else if (inside && !dependence.isFree(segment.begin + i) && getCommRole(unit.op) != CommRole::Completion &&
               !computesBounds(unit)) {
      hidden.add(estimateWork(segment.begin + i));
    }
    inside |= i == pair.start;
  }
  return cost.whyNot(start, hidden, others);
}

void ChainMotion::findConditions(Segment segment, ArrayRef<unsigned> order, const ScheduleProblem::Pair &pair,
                                 GuardedWaits &guards) {
  if (pair.guard < 0)
    return;
  Operation *guard = chain.getUnits()[segment.begin + pair.guard].op;
  unsigned wait = segment.begin + pair.wait;
  for (unsigned unit : order) {
    if (unit == pair.wait)
      return;
    if (unit > pair.wait && questions.canAskInstead(wait, segment.begin + unit))
      guards.require(guard, dependence.getCondition(wait, segment.begin + unit));
  }
}
