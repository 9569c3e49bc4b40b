// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detection on all processes: the hierarchy, blocks, vector forms. PatternTest.cpp tests single patterns.
#include "TestUtil.h"

using namespace comm::cdag;

TEST(Detect, AllgatherAndAlltoallAreNotSwapped) {
  // Sending the same data to all is an allgather; algorithm 5 of the paper calls it alltoall.
  for (bool same : {false, true}) {
    Graph graph(6);
    Builder b(graph);
    for (Rank i = 0; i < 6; ++i)
      for (Rank j = 0; j < 6; ++j)
        if (i != j)
          b.message(i, same ? 0 : 8 * j, j, 1000 + 8 * i, 8);
    Schedule schedule;
    compileAndCheck(graph, schedule);
    EXPECT_EQ(kindsOf(schedule), same ? "allgather" : "alltoall");
    EXPECT_EQ(countKept(graph, schedule), 0u);
  }
}

TEST(Detect, BcastAndScatter) {
  for (bool same : {false, true}) {
    Graph graph(6);
    Builder b(graph);
    for (Rank j = 0; j < 6; ++j)
      if (j != 2)
        b.message(2, same ? 0 : 8 * j, j, 1000, 8);
    Schedule schedule;
    compileAndCheck(graph, schedule);
    EXPECT_EQ(kindsOf(schedule), same ? "bcast" : "scatter");
    EXPECT_EQ(schedule.collectives[0].root, 2u);
  }
}

TEST(Detect, NoncontiguousBlocksAreOneCollective) {
  // Three separate blocks, and one in two adjacent messages.
  Graph graph(5);
  Builder b(graph);
  for (Rank j = 1; j < 5; ++j) {
    b.message(0, 0, j, 0, 8, 1);
    b.message(0, 100, j, 200, 16, 2);
    b.message(0, 300, j, 50, 24, 3);
    b.message(0, 324, j, 74, 8, 4);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "bcast");
  EXPECT_EQ(schedule.collectives[0].end - schedule.collectives[0].begin, 4u * 3);
}

TEST(Detect, RepeatedPatternsAcrossPhasesAreOne) {
  // Eight broadcasts by different algorithms, one piece after another. The last repeats the first.
  Graph graph(9);
  Builder b(graph);
  Vec<Rank> all = ranks({0, 1, 2, 3, 4, 5, 6, 7, 8});
  const char *const algorithms[] = {"bcast-linear", "bcast-binomial", "bcast-ring"};
  for (int phase = 0; phase < 9; ++phase) {
    PatternOptions options;
    options.sendAt = 16 * (phase % 8);
    options.bytes = 16;
    options.tag = 1000 * phase;
    options.root = 3;
    options.recvAt = options.tempAt = 1 << 20;
    ASSERT_FALSE(emitPattern(graph, b, *findPattern(algorithms[phase % 3]), all, options));
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "bcast");
  // One block of 128 bytes for each receiver.
  EXPECT_EQ(schedule.collectives[0].end - schedule.collectives[0].begin, 8u);
  EXPECT_EQ(schedule.transfers[0].size, 128u);
}

TEST(Detect, MessagesCutDifferentlyForEachReceiver) {
  Graph graph(5);
  Builder b(graph);
  for (Rank j = 1; j < 5; ++j)
    for (uint64_t at = 0; at < 64; at += 64 / (j == 3 ? 4 : j))
      b.message(0, at, j, at, std::min<uint64_t>(64 / (j == 3 ? 4 : j), 64 - at), int32_t(at));
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "bcast");
  // In a gather, only process 2's block comes in two messages.
  Graph gather(5);
  Builder g(gather);
  for (Rank i = 1; i < 5; ++i) {
    if (i == 2) {
      g.message(i, 0, 0, 16 * i, 8, 1);
      g.message(i, 8, 0, 16 * i + 8, 8, 2);
    } else {
      g.message(i, 0, 0, 16 * i, 16);
    }
  }
  compileAndCheck(gather, schedule);
  EXPECT_EQ(kindsOf(schedule), "gather");
}

TEST(Detect, BcastBesideANeighboringMessage) {
  // One message contains the broadcast's bytes and more.
  Graph graph(5);
  Builder b(graph);
  for (Rank j = 1; j < 5; ++j)
    b.message(0, 0, j, 0, j == 3 ? 48 : 32);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "bcast");
  EXPECT_EQ(countKept(graph, schedule), 1u);
}

TEST(Detect, SelfCopies) {
  for (bool own : {false, true}) {
    Graph graph;
    PatternOptions options;
    options.selfCopies = own;
    ASSERT_FALSE(generatePattern("alltoall-linear", 4, options, graph));
    Schedule schedule;
    compileAndCheck(graph, schedule);
    ASSERT_EQ(kindsOf(schedule), "alltoall");
    EXPECT_EQ(schedule.collectives[0].selfCopies, own);
    EXPECT_EQ(schedule.collectives[0].end, own ? 16u : 12u);
  }
}

TEST(Detect, VectorFormsByDensity) {
  // All pairs except a few, with different sizes.
  auto build = [](Graph &graph, unsigned missing) {
    graph = Graph(8);
    Builder b(graph);
    unsigned n = 0;
    for (Rank i = 0; i < 8; ++i)
      for (Rank j = 0; j < 8; ++j)
        if (i != j && n++ >= missing)
          b.message(i, 1000 * j, j, 10000 + 1000 * i, 8 + 8 * n);
  };
  Graph graph;
  Schedule schedule;
  CompileOptions options;
  build(graph, 0);
  compileAndCheck(graph, schedule, options);
  EXPECT_EQ(kindsOf(schedule), "alltoallv");
  build(graph, 14); // 42 of 56
  compileAndCheck(graph, schedule, options);
  // No alltoallv, although some processes still receive from all others.
  EXPECT_EQ(kindsOf(schedule).find("alltoallv"), std::string::npos);
  options.detect.tau = 0.75;
  compileAndCheck(graph, schedule, options);
  EXPECT_EQ(kindsOf(schedule), "alltoallv");
  options.detect.tau = 0.76;
  compileAndCheck(graph, schedule, options);
  EXPECT_EQ(kindsOf(schedule).find("alltoallv"), std::string::npos);
  options.detect.tau = 2;
  build(graph, 0);
  compileAndCheck(graph, schedule, options);
  EXPECT_EQ(kindsOf(schedule), "");
  EXPECT_EQ(countKept(graph, schedule), 56u);
}

TEST(Detect, RootedVectorForms) {
  for (bool gathers : {false, true}) {
    Graph graph(10);
    Builder b(graph);
    for (Rank i = 1; i < 10; ++i)
      if (gathers)
        b.message(i, 0, 0, 1000 * i, 8 * i);
      else
        b.message(0, 1000 * i, i, 0, 8 * i);
    Schedule schedule;
    compileAndCheck(graph, schedule);
    EXPECT_EQ(kindsOf(schedule), gathers ? "gatherv" : "scatterv");
    CompileOptions options;
    options.detect.vectorMinRanks = 11;
    compileAndCheck(graph, schedule, options);
    EXPECT_EQ(kindsOf(schedule), "");
  }
  Graph graph(10);
  Builder b(graph);
  for (Rank i = 0; i < 10; ++i)
    for (Rank j = 0; j < 10; ++j)
      if (i != j)
        b.message(i, 0, j, 1000 * i + 1000, 8 * (i + 1));
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "allgatherv");
}

TEST(Detect, NothingInAHalo) {
  // Neighbors on a ring exchange: no collective.
  Graph graph(16);
  Builder b(graph);
  for (Rank i = 0; i < 16; ++i) {
    b.message(i, 0, (i + 1) % 16, 1000, 64, 1);
    b.message(i, 64, (i + 15) % 16, 1064, 64, 2);
  }
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "");
  EXPECT_EQ(countKept(graph, schedule), 32u);
}
