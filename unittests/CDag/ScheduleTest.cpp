// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that remain next to the collectives, and their order.
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
bool waits(const Schedule &schedule, bool opIsCollective, uint32_t op, bool onIsCollective, uint32_t on) {
  for (const ScheduleDependency &d : schedule.dependencies)
    if (d.op.collective == opIsCollective && d.op.index == op && d.on.collective == onIsCollective && d.on.index == on)
      return true;
  return false;
}
} // namespace

TEST(Schedule, ForwardingOfWhatACollectiveDelivers) {
  Graph graph(5);
  Builder b(graph);
  for (Rank j = 1; j < 5; ++j)
    b.message(0, 0, j, 0, 16);
  b.message(3, 4, 1, 100, 8, 7); // a part of it
  OpId forward = graph.numOps() - 2;
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "bcast");
  EXPECT_EQ(schedule.action(forward), Action::Keep);
  EXPECT_EQ(countKept(graph, schedule), 1u);
  EXPECT_TRUE(waits(schedule, false, forward, true, 0));
}

TEST(Schedule, OverwritingWhatACollectiveReads) {
  Graph graph(5);
  Builder b(graph);
  for (Rank j = 1; j < 5; ++j)
    b.message(0, 0, j, 0, 16);
  b.message(3, 200, 0, 8, 8, 7);
  OpId recv = graph.numOps() - 1;
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "bcast");
  EXPECT_TRUE(waits(schedule, false, recv, true, 0));
}

TEST(Schedule, ReadingWhatACollectiveOverwrites) {
  Graph graph(5);
  Builder b(graph);
  b.message(3, 0, 2, 100, 16, 7);
  OpId send = graph.numOps() - 2;
  for (Rank j = 1; j < 5; ++j)
    b.message(0, 0, j, 0, 16);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "bcast");
  EXPECT_TRUE(waits(schedule, true, 0, false, send));
}

TEST(Schedule, ShiftedSourcesAreSaved) {
  // Every process's block is replaced by another one while it is being gathered.
  Graph graph(4);
  Builder b(graph);
  for (Rank i = 0; i < 4; ++i) {
    // To a slot of the same array on all other processes, shifted by one.
    for (Rank j = 0; j < 4; ++j)
      if (i != j)
        b.message(i, 0, j, 8 * ((i + 4 - j) % 4) + 1000, 8);
  }
  for (Rank i = 0; i < 4; ++i)
    b.copy(i, 0, 1008, 8);
  graph.addBuffer(kNone, 1000, 100, "temp", true);
  Schedule schedule;
  compileAndCheck(graph, schedule);
}

TEST(Schedule, InPlaceAlltoall) {
  Graph graph(6);
  graph.addBuffer(kNone, 1000, 1000, "temp", true);
  Builder b(graph);
  for (Rank i = 0; i < 6; ++i)
    for (Rank j = 0; j < 6; ++j)
      if (i != j)
        b.message(i, 8 * j, j, 1000 + 8 * i, 8);
  for (Rank i = 0; i < 6; ++i)
    for (Rank j = 0; j < 6; ++j)
      if (i != j)
        b.copy(i, 8 * j, 1000 + 8 * j, 8);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "alltoall");
  EXPECT_TRUE(schedule.collectives[0].inPlace);
  EXPECT_TRUE(schedule.stages.empty());
}

TEST(Schedule, TreesKeepTheirWaitSets) {
  // Processes that forward a broadcast were waited for; a broadcast waits only for its root.
  Graph graph;
  PatternOptions options;
  ASSERT_FALSE(generatePattern("bcast-binomial", 16, options, graph));
  Schedule schedule;
  CompileStats stats;
  CompileOptions co;
  compileAndCheck(graph, schedule, co, Fill::Random, &stats);
  EXPECT_EQ(stats.messages, 15u);
  EXPECT_EQ(stats.keptMessages, 0u);
  EXPECT_EQ(stats.syncMessages, 15u - 4);
  co.sync = SyncPolicy::Data;
  compileAndCheck(graph, schedule, co, Fill::Random, &stats);
  EXPECT_EQ(stats.syncMessages, 0u);
  // All processes wait for all, so no message needs to remain.
  for (const char *complete : {"allgather-bruck", "alltoall-bruck", "allreduce-butterfly", "bcast-linear"}) {
    ASSERT_FALSE(generatePattern(complete, 16, options, graph));
    compileAndCheck(graph, schedule, CompileOptions(), Fill::Random, &stats);
    EXPECT_EQ(stats.syncMessages, 0u) << complete;
  }
}

TEST(Schedule, LongChainsAreSynchronizedByABarrier) {
  for (const char *pattern : {"bcast-ring", "reduce-ring"}) {
    Graph graph;
    PatternOptions options;
    ASSERT_FALSE(generatePattern(pattern, 40, options, graph));
    Schedule schedule;
    CompileStats stats;
    CompileOptions co;
    compileAndCheck(graph, schedule, co, Fill::Random, &stats);
    EXPECT_EQ(stats.syncMessages, 0u);
    EXPECT_EQ(schedule.collectives.size(), 2u);
    EXPECT_NE(kindsOf(schedule).find("barrier"), std::string::npos);
    co.sync = SyncPolicy::Data;
    compileAndCheck(graph, schedule, co);
    EXPECT_EQ(schedule.collectives.size(), 1u);
  }
}

TEST(Schedule, AcknowledgementsStay) {
  // Empty messages back to the root, each after the data.
  Graph graph(6);
  for (Rank j = 1; j < 6; ++j) {
    graph.addSend(0, 0, 8, j);
    OpId r = graph.addRecv(j, 0, 8, 0);
    OpId ack = graph.addSend(j, 0, 0, 0, 1);
    graph.addDependency(ack, r);
    graph.addRecv(0, 0, 0, j, 1);
  }
  for (SyncPolicy sync : {SyncPolicy::Keep, SyncPolicy::Data}) {
    CompileOptions co;
    co.sync = sync;
    Schedule schedule;
    compileAndCheck(graph, schedule, co);
    ASSERT_EQ(kindsOf(schedule), "bcast");
    EXPECT_EQ(countKept(graph, schedule), 5u);
    // An acknowledgment says that the data has arrived.
    for (OpId op = 0; op < graph.numOps(); ++op)
      if (graph.isSend(op) && graph.size(op) == 0)
        EXPECT_TRUE(waits(schedule, false, op, true, 0));
  }
}

TEST(Schedule, BarrierBetweenPhasesIsKept) {
  // Data, barrier, data: three collectives in their order.
  Graph graph(8);
  Builder b(graph);
  Vec<Rank> all = ranks({0, 1, 2, 3, 4, 5, 6, 7});
  PatternOptions options;
  options.recvAt = 1 << 16;
  options.tempAt = 1 << 17;
  ASSERT_FALSE(emitPattern(graph, b, *findPattern("barrier-dissemination"), all, options));
  for (Rank r = 1; r < 8; ++r) {
    OpId before = b.lastOp(r), root = b.lastOp(0);
    b.message(0, 0, r, 0, 8, 500);
    graph.addDependency(graph.numOps() - 1, before);
    graph.addDependency(graph.numOps() - 2, root);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "barrier bcast");
}

TEST(Schedule, IncompleteBarrierStays) {
  Graph graph(4);
  for (Rank r = 0; r < 3; ++r) {
    graph.addSend(r, 0, 0, r + 1);
    graph.addRecv(r + 1, 0, 0, r);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "");
  EXPECT_EQ(countKept(graph, schedule), 3u);
}

TEST(Schedule, DeadMessagesBecomeEmpty) {
  Graph graph(2);
  graph.addBuffer(1, 0, 8, "temp", true);
  OpId s = graph.addSend(0, 0, 8, 1);
  graph.addRecv(1, 0, 8, 0);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(schedule.action(s), Action::SyncOnly);
}

TEST(Schedule, PhasesThatDependOnEachOther) {
  // An allreduce whose result is scaled locally, then a gather of the scaled values: the second collective reads the
  // results of the operations in between.
  Graph graph(6);
  Builder b(graph);
  Vec<Rank> all = ranks({0, 1, 2, 3, 4, 5});
  PatternOptions options;
  ASSERT_FALSE(emitPattern(graph, b, *findPattern("allreduce-butterfly"), all, options));
  Vec<OpId> scaled;
  for (Rank r = 0; r < 6; ++r) {
    b.reduce(r, 5000, options.recvAt, 8, Operator::Prod, ElementType::Int64);
    scaled.push_back(b.lastOp(r));
  }
  for (Rank r = 1; r < 6; ++r)
    b.message(r, 5000, 0, 6000 + 8 * r, 8, 5000);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "allreduce gather");
  EXPECT_EQ(countKept(graph, schedule), 0u);
  for (Rank r = 1; r < 6; ++r) {
    EXPECT_EQ(schedule.action(scaled[r]), Action::Keep);
    EXPECT_TRUE(waits(schedule, false, scaled[r], true, 0));
    EXPECT_TRUE(waits(schedule, true, 1, false, scaled[r]));
  }
}

TEST(Schedule, LocalSumsBeforeAnAllreduce) {
  // Each process adds two arrays, and the sums are reduced over all processes. Afterwards the first array is reused.
  Graph graph(8);
  Builder b(graph);
  for (Rank r = 0; r < 8; ++r)
    b.reduce(r, 0, 64, 16, Operator::Sum, ElementType::Int64);
  Vec<Rank> all = ranks({0, 1, 2, 3, 4, 5, 6, 7});
  PatternOptions options;
  options.bytes = 16;
  options.recvAt = 1000;
  options.tempAt = 2000;
  ASSERT_FALSE(emitPattern(graph, b, *findPattern("allreduce-ring"), all, options));
  for (Rank r = 0; r < 8; ++r)
    b.message(r, 200, (r + 1) % 8, 0, 16, 9000);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "allreduce");
  EXPECT_EQ(countKept(graph, schedule), 8u);
}

TEST(Schedule, CollectivesThatReplaceNothingAreLeftOut) {
  // A broadcast down a tree whose inner messages also carry other data that the receivers keep.
  Graph graph(8);
  Builder b(graph);
  for (Rank span = 1; span < 8; span *= 2)
    for (Rank i = 0; i < span; ++i) {
      b.copy(i, 8, 1000, 8); // the sender's own data
      b.message(i, 0, i + span, 0, 16);
    }
  Schedule schedule;
  CompileStats stats;
  compileAndCheck(graph, schedule, CompileOptions(), Fill::Random, &stats);
  EXPECT_EQ(kindsOf(schedule), "");
  EXPECT_EQ(stats.keptMessages, 7u);
}

TEST(Schedule, Empty) {
  Graph graph(3);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "");
  Graph none(0);
  compileAndCheck(none, schedule);
}
