//===- ScheduleTest.cpp - Properties of the orders, on random graphs -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/Schedule.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace comm;
using llvm::BitVector;

namespace {
using Random = std::mt19937;

unsigned draw(Random &random, unsigned bound) { return random() % bound; }

/// Units with random dependences. Each pair's wait depends on its start through the request.
ScheduleProblem makeProblem(Random &random, unsigned n, unsigned numPairs, unsigned percent) {
  ScheduleProblem problem;
  problem.units.resize(n);
  problem.predecessors.assign(n, BitVector(n));
  for (unsigned v = 0; v < n; ++v) {
    problem.units[v].isFree = draw(random, 5) == 0;
    problem.units[v].weight = problem.units[v].isFree ? 0 : draw(random, 20);
    for (unsigned u = 0; u < v; ++u)
      if (draw(random, 100) < percent)
        problem.predecessors[v].set(u);
  }
  std::vector<unsigned> numbers;
  for (unsigned i = 0; i < n; ++i)
    numbers.push_back(i);
  std::shuffle(numbers.begin(), numbers.end(), random);
  for (unsigned i = 0; i < numPairs; ++i) {
    unsigned start = std::min(numbers[2 * i], numbers[2 * i + 1]), wait = std::max(numbers[2 * i], numbers[2 * i + 1]);
    problem.units[start].isFree = problem.units[wait].isFree = false;
    problem.predecessors[wait].set(start);
    problem.pairs.push_back({start, wait});
  }
  llvm::sort(problem.pairs, [](const auto &a, const auto &b) { return a.start < b.start; });
  return problem;
}

std::vector<unsigned> getPositions(const Order &order) {
  std::vector<unsigned> positions(order.size(), ~0u);
  for (auto [position, unit] : llvm::enumerate(order))
    positions[unit] = position;
  return positions;
}

void expectTopological(const ScheduleProblem &problem, const Order &order) {
  ASSERT_EQ(order.size(), problem.units.size());
  std::vector<unsigned> positions = getPositions(order);
  for (unsigned v = 0; v < order.size(); ++v) {
    ASSERT_NE(positions[v], ~0u) << "unit " << v << " is missing";
    for (unsigned u : problem.predecessors[v].set_bits())
      ASSERT_LT(positions[u], positions[v]) << u << " must precede " << v;
  }
}

/// reach[u] contains v if v must come after u, directly or not.
std::vector<BitVector> getDescendants(const ScheduleProblem &problem) {
  unsigned n = problem.units.size();
  std::vector<BitVector> reach(n, BitVector(n));
  for (unsigned v = 0; v < n; ++v)
    for (unsigned u : problem.predecessors[v].set_bits())
      for (unsigned w = 0; w <= u; ++w)
        if (w == u || reach[w].test(u))
          reach[w].set(v);
  return reach;
}
} // namespace

TEST(Schedule, OrdersAreTopological) {
  Random random(1);
  for (unsigned i = 0; i < 2000; ++i) {
    unsigned n = 2 + draw(random, 40);
    ScheduleProblem problem = makeProblem(random, n, draw(random, n / 2 + 1), draw(random, 60));
    for (ScheduleProblem::Pair &pair : problem.pairs)
      pair.isGivenUp = draw(random, 3) == 0;
    expectTopological(problem, scheduleBasic(problem));
    expectTopological(problem, scheduleExtended(problem));
  }
}

/// With one communication, the interval contains everything that neither the start needs nor the wait must precede. No
/// order has a longer one.
TEST(Schedule, ExtendedIntervalIsTheLongest) {
  Random random(2);
  for (unsigned i = 0; i < 2000; ++i) {
    ScheduleProblem problem = makeProblem(random, 3 + draw(random, 40), 1, draw(random, 40));
    Order order = scheduleExtended(problem);
    std::vector<unsigned> positions = getPositions(order);
    std::vector<BitVector> reach = getDescendants(problem);
    unsigned start = problem.pairs.front().start, wait = problem.pairs.front().wait;
    unsigned weight = 0;
    for (unsigned unit = 0; unit < order.size(); ++unit) {
      if (unit == start || unit == wait || reach[unit].test(start) || reach[wait].test(unit))
        continue;
      weight += problem.units[unit].weight;
      EXPECT_GT(positions[unit], positions[start]);
      EXPECT_LT(positions[unit], positions[wait]);
    }
    EXPECT_EQ(getIntervalWeight(problem, order, problem.pairs.front()), weight);
    EXPECT_GE(weight, getIntervalWeight(problem, scheduleBasic(problem), problem.pairs.front()));
  }
}

/// Basic mode moves starts, waits and free units. All others keep their order, and no start or wait crosses a
/// dependence.
TEST(Schedule, BasicKeepsTheRest) {
  Random random(3);
  for (unsigned i = 0; i < 2000; ++i) {
    ScheduleProblem problem = makeProblem(random, 2 + draw(random, 40), 1, draw(random, 40));
    Order order = scheduleBasic(problem);
    std::vector<unsigned> rest, positions = getPositions(order);
    unsigned start = problem.pairs.front().start, wait = problem.pairs.front().wait;
    for (unsigned unit : order)
      if (unit != start && unit != wait && !problem.units[unit].isFree)
        rest.push_back(unit);
    EXPECT_TRUE(llvm::is_sorted(rest));
    // The wait stopped at the end or at a unit that must come after it.
    if (positions[wait] + 1 < order.size())
      EXPECT_TRUE(problem.predecessors[order[positions[wait] + 1]].test(wait));
  }
}

/// Two exchanges, each with a start, a guard and a wait. The first guard stays before the second start, which the first
/// wait may pass. Neither waits before both are in flight.
TEST(Schedule, GuardsLetStartsPass) {
  for (bool secondPays : {true, false}) {
    ScheduleProblem problem;
    problem.units.resize(7); // start, guard, wait, start, guard, wait, work
    problem.predecessors.assign(7, BitVector(7));
    for (auto [before, after] : {std::pair(0, 1), {1, 2}, {0, 3}, {1, 3}, {3, 4}, {4, 5}})
      problem.predecessors[after].set(before);
    problem.units[3].weight = 4;
    problem.units[6].weight = 10;
    problem.pairs = {{0, 2}, {3, 5}};
    problem.pairs[0].guard = 1;
    problem.pairs[1].guard = 4;
    problem.pairs[1].isGivenUp = !secondPays;
    Order order = scheduleExtended(problem);
    expectTopological(problem, order);
    std::vector<unsigned> positions = getPositions(order);
    EXPECT_GT(positions[2], positions[3]);
    EXPECT_GT(positions[2], positions[6]);
    if (secondPays)
      EXPECT_GT(positions[6], positions[3]);
    // The partner of a start does not count.
    unsigned weight = getIntervalWeight(problem, order, problem.pairs[0]);
    problem.pairs[0].partner = 3;
    EXPECT_EQ(getIntervalWeight(problem, order, problem.pairs[0]) + 4, weight);
  }
}

/// Three starts and three waits. The work needs the first wait and the last one, as for two sends that their receivers
/// wait for, and the message in between travels during it.
TEST(Schedule, WorkThatNeedsTwoWaits) {
  ScheduleProblem problem;
  problem.units.resize(8); // three starts, three waits, work, rest
  problem.predecessors.assign(8, BitVector(8));
  for (auto [before, after] : {std::pair(0, 3), {1, 4}, {2, 5}, {3, 6}, {5, 6}, {3, 7}, {4, 7}, {5, 7}, {6, 7}})
    problem.predecessors[after].set(before);
  problem.units[6].weight = 64;
  problem.units[7].weight = 8;
  problem.pairs = {{0, 3}, {1, 4}, {2, 5}};
  Order order = scheduleExtended(problem);
  expectTopological(problem, order);
  EXPECT_EQ(getIntervalWeight(problem, order, problem.pairs[1]), 64u);
}

/// start, interior, wait, rest, start, interior, wait, rest: the second start needs the first rest, and each rest its
/// wait. Each message overlaps the interior after its own start.
TEST(Schedule, WorkIsShared) {
  ScheduleProblem problem;
  problem.units.resize(8);
  problem.predecessors.assign(8, BitVector(8));
  for (auto [before, after] : {std::pair(0, 2), {2, 3}, {1, 5}, {3, 4}, {4, 6}, {3, 7}, {6, 7}})
    problem.predecessors[after].set(before);
  problem.units[1].weight = problem.units[5].weight = 64;
  problem.units[3].weight = problem.units[7].weight = 8;
  problem.pairs = {{0, 2}, {4, 6}};
  auto isAsGood = [](auto) { return true; };
  Order greedy = scheduleExtended(problem), order = shareWork(problem, greedy, isAsGood);
  EXPECT_EQ(getIntervalWeight(problem, greedy, problem.pairs[0]), 128u);
  EXPECT_EQ(getIntervalWeight(problem, greedy, problem.pairs[1]), 0u);
  EXPECT_EQ(order, Order({0, 1, 2, 3, 4, 5, 6, 7}));
  // Nothing is shared if the callback rejects it, or if the first message would overlap nothing.
  EXPECT_EQ(shareWork(problem, greedy, [](auto) { return false; }), greedy);
  problem.units[1].weight = 0;
  EXPECT_EQ(shareWork(problem, greedy, isAsGood), greedy);
}

/// A shared order satisfies the dependences, and no message loses all of its overlap.
TEST(Schedule, SharedOrdersAreTopological) {
  Random random(7);
  for (unsigned i = 0; i < 1000; ++i) {
    unsigned n = 4 + draw(random, 40);
    ScheduleProblem problem = makeProblem(random, n, draw(random, n / 2 + 1), draw(random, 30));
    for (ScheduleProblem::Pair &pair : problem.pairs)
      pair.isGivenUp = draw(random, 4) == 0;
    Order greedy = scheduleExtended(problem), order = shareWork(problem, greedy, [](auto) { return true; });
    expectTopological(problem, order);
    for (const ScheduleProblem::Pair &pair : problem.pairs)
      if (!pair.isGivenUp && getIntervalWeight(problem, greedy, pair) > 0)
        EXPECT_GT(getIntervalWeight(problem, order, pair), 0u);
  }
}

TEST(Schedule, NoPairsNoMotion) {
  Random random(4);
  for (unsigned i = 0; i < 200; ++i) {
    ScheduleProblem problem = makeProblem(random, 2 + draw(random, 30), 0, 20);
    EXPECT_TRUE(llvm::is_sorted(scheduleBasic(problem)));
    EXPECT_TRUE(llvm::is_sorted(scheduleExtended(problem)));
  }
  EXPECT_TRUE(scheduleExtended(ScheduleProblem()).empty());
  EXPECT_TRUE(scheduleBasic(ScheduleProblem()).empty());
}

/// When a pair is given up, the wait follows its start unless another unit must come in between.
TEST(Schedule, GivenUpPairsAreAdjacent) {
  Random random(5);
  for (unsigned i = 0; i < 1000; ++i) {
    ScheduleProblem problem = makeProblem(random, 8 + draw(random, 30), 3, draw(random, 30));
    for (ScheduleProblem::Pair &pair : problem.pairs) {
      pair.isGivenUp = draw(random, 2) == 0;
      if (!pair.isGivenUp)
        continue;
      problem.predecessors[pair.wait].reset();
      problem.predecessors[pair.wait].set(pair.start);
    }
    Order order = scheduleExtended(problem);
    expectTopological(problem, order);
    std::vector<unsigned> positions = getPositions(order);
    for (const ScheduleProblem::Pair &pair : problem.pairs)
      if (pair.isGivenUp)
        EXPECT_EQ(positions[pair.wait], positions[pair.start] + 1);
  }
}

TEST(Schedule, PinnedUnitsStayInFront) {
  Random random(6);
  for (unsigned i = 0; i < 500; ++i) {
    ScheduleProblem problem = makeProblem(random, 10 + draw(random, 20), 2, draw(random, 30));
    for (unsigned unit = 0; unit < 2; ++unit) {
      problem.units[unit].isPinned = true;
      problem.predecessors[unit].reset();
    }
    bool isPair = llvm::any_of(problem.pairs, [](const auto &pair) { return pair.start < 2; });
    if (isPair)
      continue;
    std::vector<unsigned> positions = getPositions(scheduleExtended(problem));
    EXPECT_EQ(positions[0], 0u);
    EXPECT_EQ(positions[1], 1u);
  }
}

namespace {
/// A problem whose waits have guards. Some units must come after a wait only if a condition holds; a guard, right
/// before the wait, has the wait's dependences for that case.
struct GuardedProblem {
  ScheduleProblem problem;
  /// All dependences if the condition holds; the guard has none.
  std::vector<BitVector> strict;
};

GuardedProblem makeGuardedProblem(Random &random, unsigned n, unsigned numPairs, unsigned percent) {
  ScheduleProblem plain = makeProblem(random, n, numPairs, percent);
  // Unit u becomes unit number[u]; the guard of a wait has the previous number.
  std::vector<unsigned> number(n);
  unsigned next = 0;
  auto isWait = [&](unsigned unit) {
    return llvm::any_of(plain.pairs, [&](const auto &pair) { return pair.wait == unit; });
  };
  for (unsigned u = 0; u < n; ++u) {
    next += isWait(u);
    number[u] = next++;
  }
  GuardedProblem result;
  ScheduleProblem &problem = result.problem;
  problem.units.resize(next);
  problem.predecessors.assign(next, BitVector(next));
  result.strict.assign(next, BitVector(next));
  for (unsigned v = 0; v < n; ++v) {
    problem.units[number[v]] = plain.units[v];
    for (unsigned u : plain.predecessors[v].set_bits()) {
      result.strict[number[v]].set(number[u]);
      bool isConditional = isWait(u) && !isWait(v) && draw(random, 2) == 0;
      if (!isConditional)
        problem.predecessors[number[v]].set(number[u]);
    }
  }
  for (const ScheduleProblem::Pair &pair : plain.pairs) {
    unsigned wait = number[pair.wait], guard = wait - 1;
    problem.pairs.push_back({number[pair.start], wait, false, false, static_cast<int>(guard)});
    problem.predecessors[guard] = result.strict[wait];
    for (unsigned v = 0; v < next; ++v)
      if (result.strict[v].test(wait))
        problem.predecessors[v].set(guard);
    problem.predecessors[wait].set(guard);
  }
  return result;
}
} // namespace

/// If the condition holds, the guard waits, and the order satisfies all dependences. Otherwise the wait does, and the
/// order satisfies those that always hold.
TEST(Schedule, GuardsKeepTheOrderOfTheirCondition) {
  Random random(7);
  unsigned passed = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    unsigned n = 4 + draw(random, 40);
    GuardedProblem guarded = makeGuardedProblem(random, n, 1 + draw(random, n / 4), draw(random, 40));
    for (ScheduleProblem::Pair &pair : guarded.problem.pairs)
      pair.isGivenUp = draw(random, 4) == 0;
    for (const Order &order : {scheduleBasic(guarded.problem), scheduleExtended(guarded.problem)}) {
      expectTopological(guarded.problem, order);
      std::vector<unsigned> positions = getPositions(order), early = positions;
      for (const ScheduleProblem::Pair &pair : guarded.problem.pairs)
        early[pair.wait] = positions[pair.guard];
      for (unsigned v = 0; v < order.size(); ++v)
        for (unsigned u : guarded.strict[v].set_bits()) {
          ASSERT_LT(early[u], early[v]) << u << " must precede " << v << " where the condition holds";
          passed += positions[u] > positions[v];
        }
    }
  }
  EXPECT_GT(passed, 1000u); // waits do pass units that only the condition keeps after them
}

/// A guard does not shorten an interval, which is as long as if the condition never held.
TEST(Schedule, GuardsCostNoInterval) {
  Random random(8);
  for (unsigned i = 0; i < 2000; ++i) {
    GuardedProblem guarded = makeGuardedProblem(random, 4 + draw(random, 40), 1, draw(random, 30));
    ScheduleProblem &problem = guarded.problem;
    ScheduleProblem without = problem;
    unsigned guard = problem.pairs.front().guard;
    without.pairs.front().guard = -1;
    without.predecessors[guard].reset();
    for (BitVector &predecessors : without.predecessors)
      predecessors.reset(guard);
    unsigned weight = getIntervalWeight(problem, scheduleExtended(problem), problem.pairs.front());
    EXPECT_EQ(weight, getIntervalWeight(without, scheduleExtended(without), without.pairs.front()));
  }
}
