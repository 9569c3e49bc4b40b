//===- Schedule.cpp - The order that widens overlap intervals --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Motion is scheduling. The legal order of a scope with the longest interval is: what the start depends on, the start,
// everything independent, the wait, what depends on it. Several communications at once need a priority topological
// order, as in XLA's latency-hiding scheduler.
//
//===----------------------------------------------------------------------===//

#include "Motion/Schedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <optional>
#include <queue>
#include <tuple>

using namespace comm;
using llvm::ArrayRef;
using llvm::BitVector;

/// The weight of a call: less work does not justify another order.
static constexpr unsigned kLeastWork = 16;

unsigned comm::getIntervalWeight(const ScheduleProblem &problem, ArrayRef<unsigned> order,
                                 const ScheduleProblem::Pair &pair) {
  unsigned weight = 0;
  bool inside = pair.startsBefore;
  for (unsigned unit : order) {
    if (unit == pair.wait)
      break;
    if (inside && static_cast<int>(unit) != pair.partner)
      weight += problem.units[unit].weight;
    inside |= unit == pair.start;
  }
  return weight;
}

//===----------------------------------------------------------------------===//
// Basic
//===----------------------------------------------------------------------===//

/// Moves the unit at `from`, together with the free units that it needs, up to just after the nearest unit on which one
/// of them depends.
static void moveUp(const ScheduleProblem &problem, Order &order, unsigned from) {
  llvm::SmallVector<unsigned> moving{order[from]}; // last first
  unsigned to = from;
  llvm::SmallVector<unsigned> passed;
  for (unsigned position = from; position-- > 0;) {
    unsigned unit = order[position];
    bool isNeeded = llvm::any_of(moving, [&](unsigned m) { return problem.predecessors[m].test(unit); });
    if (isNeeded && !problem.units[unit].isFree)
      break;
    if (isNeeded)
      moving.push_back(unit);
    else
      passed.push_back(unit);
    to = position;
  }
  for (unsigned unit : llvm::reverse(moving))
    order[to++] = unit;
  for (unsigned unit : llvm::reverse(passed))
    order[to++] = unit;
}

static void moveDown(const ScheduleProblem &problem, Order &order, unsigned from) {
  unsigned unit = order[from];
  for (unsigned position = from; position + 1 < order.size(); ++position) {
    unsigned next = order[position + 1];
    if (problem.predecessors[next].test(unit))
      return;
    std::swap(order[position], order[position + 1]);
  }
}

Order comm::scheduleBasic(const ScheduleProblem &problem) {
  Order order(llvm::to_vector(llvm::seq<unsigned>(0, problem.units.size())));
  auto find = [&](unsigned unit) { return llvm::find(order, unit) - order.begin(); };
  for (const ScheduleProblem::Pair &pair : problem.pairs)
    if (!pair.isGivenUp && !pair.startsBefore)
      moveUp(problem, order, find(pair.start));
  for (const ScheduleProblem::Pair &pair : llvm::reverse(problem.pairs)) {
    if (pair.isGivenUp)
      continue;
    moveDown(problem, order, find(pair.wait));
    if (pair.guard >= 0)
      moveDown(problem, order, find(pair.guard));
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Extended
//===----------------------------------------------------------------------===//

namespace {
/// Lower values go first. Guards go before waits: their conditions are usually false, and then what follows them can be
/// done before any wait.
enum Priority : unsigned { Now, Start, FeedsStart, Independent, Guard, Wait };
/// Sorts by priority, then by the first start that a unit feeds, then by program order.
using Entry = std::tuple<Priority, unsigned, unsigned>;
using ReadyUnits = std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>>;
} // namespace

/// Returns the smallest set of waits that holds back work worth having, the first of several such sets, or an empty set
/// if there is none. `isDone` has the units that are in the order already.
static BitVector findLeastWaits(const ScheduleProblem &problem, const BitVector &waits, const BitVector &isDone) {
  unsigned n = problem.units.size();
  // The waits that each unit needs. Predecessors have smaller numbers.
  std::vector<BitVector> needed(n);
  for (unsigned unit = 0; unit < n; ++unit) {
    if (isDone.test(unit))
      continue;
    needed[unit].resize(n);
    for (unsigned before : problem.predecessors[unit].set_bits())
      if (!isDone.test(before))
        needed[unit] |= needed[before];
    if (waits.test(unit))
      needed[unit].set(unit);
  }
  // Each set of waits, and the weight of the units that need just these.
  llvm::SmallVector<std::pair<BitVector, unsigned>> sets;
  for (unsigned unit = 0; unit < n; ++unit) {
    if (isDone.test(unit) || waits.test(unit) || problem.units[unit].weight == 0)
      continue;
    auto *known = llvm::find_if(sets, [&](const auto &set) { return set.first == needed[unit]; });
    if (known == sets.end())
      known = sets.insert(known, {needed[unit], 0});
    known->second += problem.units[unit].weight;
  }
  const BitVector *least = nullptr;
  auto rank = [](const BitVector &set) { return std::pair(set.count(), set.find_first()); };
  for (const auto &[set, weight] : sets) {
    unsigned freed = 0;
    for (const auto &[part, ofPart] : sets)
      if (!part.test(set)) // a subset
        freed += ofPart;
    if (freed >= kLeastWork && (!least || rank(set) < rank(*least)))
      least = &set;
  }
  return least ? *least : BitVector(n);
}

/// Returns the next unit. Among several waits, this is the first one of the smallest set that frees work, such as the
/// wait for a sum rather than that for data that the interior of a loop does not touch: the work is done while the
/// other messages travel.
static unsigned takeNext(ReadyUnits &ready, llvm::function_ref<BitVector()> getLeastWaits) {
  llvm::SmallVector<Entry> first{ready.top()};
  ready.pop();
  while (std::get<0>(first.front()) == Wait && !ready.empty()) {
    first.push_back(ready.top());
    ready.pop();
  }
  auto *chosen = first.begin();
  if (first.size() > 1) {
    BitVector least = getLeastWaits();
    chosen = llvm::find_if(first, [&](const Entry &entry) { return least.test(std::get<2>(entry)); });
    if (chosen == first.end())
      chosen = first.begin();
  }
  for (const Entry &entry : first)
    if (entry != *chosen)
      ready.push(entry);
  return std::get<2>(*chosen);
}

/// Returns the first start that needs each unit or is that unit, or the number of units if there is none. What an early
/// start needs comes before what only later starts need, which may be a loop that the early message can overlap.
static std::vector<unsigned> findFirstFed(const ScheduleProblem &problem) {
  unsigned n = problem.units.size();
  std::vector<unsigned> first(n, n);
  for (const ScheduleProblem::Pair &pair : problem.pairs)
    if (!pair.isGivenUp && !pair.startsBefore)
      first[pair.start] = pair.start;
  // Predecessors have smaller numbers, so one pass from the end reaches all.
  for (unsigned unit = n; unit-- > 0;)
    for (unsigned before : problem.predecessors[unit].set_bits())
      first[before] = std::min(first[before], first[unit]);
  return first;
}

Order comm::scheduleExtended(const ScheduleProblem &problem) {
  unsigned n = problem.units.size();
  std::vector<Priority> priority(n, Independent);
  std::vector<unsigned> firstFed = findFirstFed(problem);
  for (unsigned unit = 0; unit < n; ++unit)
    if (firstFed[unit] != n)
      priority[unit] = FeedsStart;
  for (const ScheduleProblem::Pair &pair : problem.pairs) {
    if (!pair.isGivenUp && !pair.startsBefore)
      priority[pair.start] = Start;
    priority[pair.wait] = pair.isGivenUp ? Now : Wait;
    if (pair.guard >= 0 && (pair.isGivenUp || priority[pair.guard] != FeedsStart))
      priority[pair.guard] = pair.isGivenUp ? Now : Guard;
  }
  // A message that was sent is on its way, so it is better to overlap what later starts receive.
  for (const ScheduleProblem::Pair &pair : problem.pairs) {
    bool isSend = llvm::all_of(problem.pairs, [&](const ScheduleProblem::Pair &other) {
      return other.wait != pair.wait || (other.isSend && !other.isGivenUp);
    });
    if (isSend && firstFed[pair.wait] != n)
      priority[pair.wait] = FeedsStart;
  }
  for (unsigned unit = 0; unit < n; ++unit)
    if (problem.units[unit].isPinned)
      priority[unit] = Now;

  std::vector<unsigned> missing(n);
  std::vector<llvm::SmallVector<unsigned>> successors(n);
  auto makeEntry = [&](unsigned unit) {
    return Entry(priority[unit], priority[unit] == FeedsStart ? firstFed[unit] : 0, unit);
  };
  ReadyUnits ready;
  for (unsigned unit = 0; unit < n; ++unit) {
    missing[unit] = problem.predecessors[unit].count();
    for (unsigned before : problem.predecessors[unit].set_bits())
      successors[before].push_back(unit);
    if (missing[unit] == 0)
      ready.push(makeEntry(unit));
  }
  BitVector waits(n);
  for (const ScheduleProblem::Pair &pair : problem.pairs)
    waits.set(pair.wait);
  Order order;
  BitVector isDone(n);
  while (!ready.empty()) {
    unsigned unit = takeNext(ready, [&]() { return findLeastWaits(problem, waits, isDone); });
    order.push_back(unit);
    isDone.set(unit);
    for (unsigned next : successors[unit])
      if (--missing[next] == 0)
        ready.push(makeEntry(next));
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

/// Returns the weight that each pair overlaps in that order, without starts and waits of other pairs.
static std::vector<unsigned> getWork(const ScheduleProblem &problem, ArrayRef<unsigned> order,
                                     const BitVector &endpoints) {
  std::vector<unsigned> work;
  for (const ScheduleProblem::Pair &pair : problem.pairs) {
    unsigned weight = 0;
    bool inside = pair.startsBefore;
    for (unsigned unit : order) {
      if (unit == pair.wait)
        break;
      if (inside && !endpoints.test(unit))
        weight += problem.units[unit].weight;
      inside |= unit == pair.start;
    }
    work.push_back(weight);
  }
  return work;
}

/// Returns the problem in which work that follows the pair's start in the program but precedes it in that order stays
/// after it. Work that later starts need still goes first. Returns none if there is no such work.
static std::optional<ScheduleProblem> keepAfter(const ScheduleProblem &problem, ArrayRef<unsigned> order,
                                                const ScheduleProblem::Pair &pair, const BitVector &endpoints,
                                                ArrayRef<unsigned> firstFed) {
  std::optional<ScheduleProblem> result;
  for (unsigned unit : order) {
    if (unit == pair.start)
      break;
    const ScheduleProblem::UnitInfo &info = problem.units[unit];
    if (unit < pair.start || endpoints.test(unit) || firstFed[unit] != problem.units.size() || info.isPinned ||
        info.weight == 0)
      continue;
    if (!result)
      result = problem;
    result->predecessors[unit].set(pair.start);
  }
  return result;
}

Order comm::shareWork(const ScheduleProblem &problem, Order order,
                      llvm::function_ref<bool(ArrayRef<unsigned>)> isAsGood) {
  constexpr unsigned mostTrials = 16, mostLoss = 4;
  BitVector endpoints(problem.units.size());
  for (const ScheduleProblem::Pair &pair : problem.pairs)
    for (unsigned unit : {pair.start, pair.wait, pair.guard >= 0 ? static_cast<unsigned>(pair.guard) : pair.wait})
      endpoints.set(unit);
  std::vector<unsigned> firstFed = findFirstFed(problem);
  ScheduleProblem shared = problem;
  unsigned trials = 0;
  for (size_t i = 0; i < problem.pairs.size(); ++i) {
    const ScheduleProblem::Pair &pair = problem.pairs[i];
    if (pair.isGivenUp || pair.startsBefore)
      continue;
    std::optional<ScheduleProblem> trial = keepAfter(shared, order, pair, endpoints, firstFed);
    if (!trial || ++trials > mostTrials)
      continue;
    Order other = scheduleExtended(*trial);
    std::vector<unsigned> had = getWork(problem, order, endpoints), has = getWork(problem, other, endpoints);
    // Neither this pair nor one that loses may end up with as little as this one had, or lose nearly all: it may be the
    // exchange with a neighbor.
    bool isShared = llvm::all_of(llvm::seq<size_t>(0, has.size()), [&](size_t j) {
      return problem.pairs[j].isGivenUp || (j != i && has[j] >= had[j]) ||
             has[j] >= std::max({2 * had[i] + 1, kLeastWork, had[j] / mostLoss});
    });
    if (!isShared || !isAsGood(other))
      continue;
    shared = std::move(*trial);
    order = std::move(other);
  }
  return order;
}
