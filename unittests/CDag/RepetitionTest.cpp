// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Repetitions.h"
#include "TestUtil.h"

using namespace comm::cdag;

namespace {

/// Folds the graph, compiles the phase, runs it as often as it repeats, and compares with the graph.
uint32_t fold(Graph &graph, std::string &kinds) {
  Matching matching;
  Error error = matchMessages(graph, matching);
  EXPECT_FALSE(error) << error.text;
  Graph phase;
  uint32_t times = foldRepetitions(graph, matching, phase);
  if (times == 1)
    return 1;
  EXPECT_FALSE(phase.error()) << phase.error().text;
  EXPECT_EQ(phase.numOps() * times, graph.numOps());
  Schedule schedule;
  compileAndCheck(phase, schedule);
  kinds = kindsOf(schedule);
  Image expected;
  EXPECT_FALSE(expected.create(graph, 5));
  Image actual = expected;
  runGraph(graph, matching, 6, expected);
  for (uint32_t i = 0; i < times; ++i)
    EXPECT_FALSE(runSchedule(phase, schedule, i, actual));
  error = compareLive(graph, expected, actual);
  EXPECT_FALSE(error) << error.text;
  return times;
}

} // namespace

TEST(Repetitions, IterationsOfAnAllreduceInPlace) {
  // x = sum of all x; x = x * c, five times: each repetition uses the result of the previous one.
  Graph graph(8);
  Builder b(graph);
  graph.addBuffer(kNone, 100, 16, "temp", true);
  for (int iteration = 0; iteration < 5; ++iteration) {
    for (uint32_t bit = 1; bit < 8; bit *= 2) {
      for (Rank i = 0; i < 8; ++i)
        b.message(i, 0, i ^ bit, 100, 16, int32_t(100 * iteration + bit));
      for (Rank i = 0; i < 8; ++i)
        b.reduce(i, 0, 100, 16, Operator::Sum, ElementType::Int64);
    }
    for (Rank i = 0; i < 8; ++i)
      b.reduce(i, 500, 0, 16, Operator::Prod, ElementType::Int64);
  }
  std::string kinds;
  EXPECT_EQ(fold(graph, kinds), 5u);
  EXPECT_EQ(kinds, "allreduce");
}

TEST(Repetitions, ShiftsGoOn) {
  // Each process passes its block to the next one: not a collective, but a phase.
  Graph graph(5);
  Builder b(graph);
  for (int step = 0; step < 6; ++step) {
    for (Rank i = 0; i < 5; ++i)
      b.message(i, 0, (i + 1) % 5, 100, 8, step);
    for (Rank i = 0; i < 5; ++i)
      b.copy(i, 0, 100, 8);
  }
  std::string kinds;
  EXPECT_EQ(fold(graph, kinds), 6u);
}

TEST(Repetitions, TemporaryThatCarriesAValue) {
  // The buffer's contents are used in the next phase.
  Graph graph(3);
  Builder b(graph);
  graph.addBuffer(kNone, 100, 8, "carried", true);
  for (int step = 0; step < 4; ++step)
    for (Rank i = 0; i < 3; ++i) {
      b.reduce(i, 0, 100, 8, Operator::Sum, ElementType::Int64);
      b.copy(i, 100, 0, 8);
    }
  std::string kinds;
  EXPECT_EQ(fold(graph, kinds), 4u);
}

TEST(Repetitions, WhatDiffersDoesNotRepeat) {
  for (int variant = 0; variant < 4; ++variant) {
    Graph graph(2);
    for (int step = 0; step < 2; ++step) {
      graph.addSend(0, variant == 1 ? 8 * step : 0, 8, 1, step);
      OpId r = graph.addRecv(1, 100, variant == 2 ? 8 + step : 8, 0, step);
      OpId c = graph.addCopy(1, 200 + 8 * step * (variant == 3), 100, 8);
      graph.addDependency(c, r);
    }
    graph.addDependency(4, 2); // the second receive after the first copy
    graph.addDependency(5, 2);
    std::string kinds;
    EXPECT_EQ(fold(graph, kinds), variant == 0 ? 2u : 1u) << variant;
  }
}

TEST(Repetitions, LaterPhasesNeverComeFirst) {
  // The same operations twice, but the first half waits for the second.
  Graph graph(1);
  OpId a = graph.addCopy(0, 0, 100, 8), b = graph.addCopy(0, 0, 100, 8);
  graph.addDependency(a, b);
  std::string kinds;
  EXPECT_EQ(fold(graph, kinds), 1u);
}
