// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
std::string detected(const char *pattern, uint32_t p, Operator op, ElementType type, bool reorder,
                     Fill fill = Fill::Random) {
  Graph graph;
  PatternOptions options;
  options.op = op;
  options.type = type;
  options.bytes = 16;
  EXPECT_FALSE(generatePattern(pattern, p, options, graph));
  CompileOptions co;
  co.detect.reorderFloatingPoint = reorder;
  Schedule schedule;
  compileAndCheck(graph, schedule, co, fill);
  return kindsOf(schedule);
}
} // namespace

TEST(Reductions, FloatingPointOrderIsASwitch) {
  for (ElementType type : {ElementType::Float, ElementType::Double}) {
    Fill fill = type == ElementType::Float ? Fill::Floats : Fill::Doubles;
    for (Operator op : {Operator::Sum, Operator::Prod}) {
      EXPECT_EQ(detected("allreduce-ring", 4, op, type, false, fill), "");
      EXPECT_EQ(detected("reduce-linear", 3, op, type, false, fill), "");
      // Two terms can be added in one order only.
      EXPECT_EQ(detected("allreduce-butterfly", 2, op, type, false, fill), "allreduce");
    }
    EXPECT_EQ(detected("allreduce-ring", 4, Operator::Sum, type, true, fill), "allreduce");
    EXPECT_EQ(detected("allreduce-ring", 4, Operator::Max, type, false, fill), "allreduce");
  }
  EXPECT_EQ(detected("allreduce-ring", 4, Operator::Sum, ElementType::Int32, false), "allreduce");
}

TEST(Reductions, OrderOfNonCommutativeOperators) {
  // Process 0 combines its own contribution and the others' in this order.
  auto linear = [](std::initializer_list<Rank> order, bool commutative, bool associative) {
    Graph graph(4);
    OperatorLaws laws;
    laws.commutative = commutative;
    laws.associative = associative;
    uint8_t op = graph.addOperator(laws, 8);
    graph.addBuffer(0, 1000, 4000, "temp", true);
    OpId last = kNone;
    for (Rank r : order) {
      OpId recv = graph.addRecv(0, 1000 + 8 * r, 8, r);
      graph.addSend(r, 0, 8, 0);
      OpId reduce = graph.addUserReduce(0, 0, 1000 + 8 * r, 8, op);
      graph.addDependency(reduce, recv);
      if (last != kNone)
        graph.addDependency(reduce, last);
      last = reduce;
    }
    Schedule schedule;
    compileAndCheck(graph, schedule);
    std::string text = kindsOf(schedule);
    if (!schedule.collectives.empty())
      for (uint32_t i = 0; i < 4; ++i)
        text += " " + std::to_string(schedule.member(schedule.collectives[0], i));
    return text;
  };
  EXPECT_EQ(linear({1, 2, 3}, false, true), "reduce 0 1 2 3");
  // Another order means another order of the communicator's processes.
  EXPECT_EQ(linear({3, 1, 2}, false, true), "reduce 0 3 1 2");
  EXPECT_EQ(linear({1, 2, 3}, false, false), "");
}

TEST(Reductions, CountingTwiceNeedsIdempotence) {
  // Dissemination on 6 processes counts some contributions twice.
  auto run = [](Operator op) {
    Graph graph(6);
    Builder b(graph);
    for (uint32_t span = 1; span < 6; span *= 2) {
      for (Rank i = 0; i < 6; ++i)
        b.message(i, 0, (i + span) % 6, 100 * span, 8, int32_t(span));
      for (Rank i = 0; i < 6; ++i)
        b.reduce(i, 0, 100 * span, 8, op, ElementType::Int64);
    }
    graph.addBuffer(kNone, 100, 1000, "temp", true);
    Schedule schedule;
    compileAndCheck(graph, schedule);
    return kindsOf(schedule);
  };
  EXPECT_EQ(run(Operator::Max), "allreduce");
  EXPECT_EQ(run(Operator::LOr), "allreduce");
  EXPECT_EQ(run(Operator::Sum), "");
  EXPECT_EQ(run(Operator::BXor), "");
}

TEST(Reductions, OtherOperatorsInsideStay) {
  // A maximum of sums is not a reduction by either operator.
  Graph graph(4);
  Builder b(graph);
  graph.addBuffer(kNone, 100, 100, "temp", true);
  for (Rank r = 1; r < 4; ++r) {
    b.message(r, 0, 0, 100 + 8 * r, 8);
    b.reduce(0, 0, 100 + 8 * r, 8, r == 2 ? Operator::Max : Operator::Sum, ElementType::Int64);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "");
  EXPECT_EQ(countKept(graph, schedule), 3u);
}

TEST(Reductions, ShiftedElementsStay) {
  // Sums of elements that start in the middle of other elements.
  Graph graph(3);
  Builder b(graph);
  graph.addBuffer(kNone, 100, 100, "temp", true);
  b.message(1, 0, 0, 100, 16, 1);
  b.reduce(0, 0, 100, 16, Operator::Sum, ElementType::Int64);
  b.message(2, 0, 0, 120, 8, 2);
  b.reduce(0, 4, 120, 8, Operator::Sum, ElementType::Int64);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "");
}

TEST(Reductions, InPlaceAllreduce) {
  Graph graph(8);
  Builder b(graph);
  graph.addBuffer(kNone, 100, 16, "temp", true);
  for (uint32_t bit = 1; bit < 8; bit *= 2) {
    for (Rank i = 0; i < 8; ++i)
      b.message(i, 0, i ^ bit, 100, 16, int32_t(bit));
    for (Rank i = 0; i < 8; ++i)
      b.reduce(i, 0, 100, 16, Operator::Sum, ElementType::Int64);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "allreduce");
  EXPECT_TRUE(schedule.collectives[0].inPlace);
  EXPECT_TRUE(schedule.stages.empty());
}

TEST(Reductions, PartialSumsThatAreWantedStay) {
  // The same, but every process keeps the data it received, so there is no gain.
  Graph graph(4);
  Builder b(graph);
  for (uint32_t bit = 1; bit < 4; bit *= 2) {
    for (Rank i = 0; i < 4; ++i)
      b.message(i, 0, i ^ bit, 100 + 16 * bit, 16, int32_t(bit));
    for (Rank i = 0; i < 4; ++i)
      b.reduce(i, 0, 100 + 16 * bit, 16, Operator::Sum, ElementType::Int64);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
}

TEST(Reductions, SomeReceiversOfASumAreNotManyReduces) {
  Graph graph;
  PatternOptions options;
  ASSERT_FALSE(generatePattern("reduce-binomial", 16, options, graph));
  // Process 0's sum is sent to three others.
  Builder b(graph);
  OpId last = graph.numOps() - 1;
  for (Rank r : {3, 5, 7}) {
    OpId s = graph.addSend(0, options.bytes * 16, 8, r, 999);
    graph.addDependency(s, last);
    graph.addRecv(r, 5000, 8, 0, 999);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  for (const Collective &c : schedule.collectives)
    if (c.kind == CollectiveKind::Reduce)
      EXPECT_EQ(c.root, 0u);
  EXPECT_LE(schedule.collectives.size(), 1u);
}

TEST(Reductions, ReduceScatterOfUnevenBlocks) {
  Graph graph(5);
  Builder b(graph);
  graph.addBuffer(kNone, 100000, 100000, "temp", true);
  for (Rank j = 0; j < 5; ++j) {
    uint64_t size = 8 * (j + 1);
    for (Rank i = 0; i < 5; ++i)
      if (i != j) {
        b.message(i, 1000 * j, j, 100000 + 1000 * i, size);
        b.reduce(j, 1000 * j, 100000 + 1000 * i, size, Operator::BXor, ElementType::UInt32);
      }
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "reduce_scatter");
}
