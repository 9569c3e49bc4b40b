// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
void emit(Graph &graph, Builder &b, const char *pattern, const Vec<Rank> &members, Addr at, int tag) {
  PatternOptions options;
  options.sendAt = at;
  options.tag = tag * 10000;
  Error error = emitPattern(graph, b, *findPattern(pattern), members, options);
  ASSERT_FALSE(error) << error.text;
}
} // namespace

TEST(Subsets, EveryOtherProcess) {
  for (const char *pattern : {"bcast-binomial", "gather-binomial", "scatter-linear", "allgather-ring", "alltoall-bruck",
                              "allreduce-butterfly", "reduce-binomial", "reduce_scatter-ring", "scan-linear",
                              "exscan-linear", "barrier-dissemination"}) {
    SCOPED_TRACE(pattern);
    Graph graph(16);
    Builder b(graph);
    Vec<Rank> members;
    for (Rank r = 1; r < 16; r += 2)
      members.push_back(r);
    emit(graph, b, pattern, members, 0, 1);
    Schedule schedule;
    compileAndCheck(graph, schedule);
    ASSERT_EQ(kindsOf(schedule), name(findPattern(pattern)->kind));
    ASSERT_EQ(schedule.numMembers(schedule.collectives[0], graph), 8u);
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_EQ(schedule.member(schedule.collectives[0], i), 2 * i + 1);
    EXPECT_EQ(countKept(graph, schedule), 0u);
    CompileOptions without;
    without.detect.subsets = false;
    compileAndCheck(graph, schedule, without);
    EXPECT_EQ(kindsOf(schedule), "");
  }
}

TEST(Subsets, RowsAndColumnsOfAGrid) {
  // Rows and columns share processes but not pairs of processes.
  for (const char *pattern : {"allgather-ring", "alltoall-linear", "allreduce-butterfly", "bcast-binomial"}) {
    SCOPED_TRACE(pattern);
    Graph graph(25);
    Builder b(graph);
    for (Rank i = 0; i < 5; ++i) {
      Vec<Rank> row, column;
      for (Rank j = 0; j < 5; ++j) {
        row.push_back(5 * i + j);
        column.push_back(5 * j + i);
      }
      emit(graph, b, pattern, row, 0, int(2 * i));
      emit(graph, b, pattern, column, 10000, int(2 * i + 1));
    }
    Schedule schedule;
    compileAndCheck(graph, schedule);
    EXPECT_EQ(schedule.collectives.size(), 10u) << kindsOf(schedule);
    for (const Collective &c : schedule.collectives) {
      EXPECT_EQ(c.kind, findPattern(pattern)->kind);
      EXPECT_EQ(schedule.numMembers(c, graph), 5u);
    }
    EXPECT_EQ(countKept(graph, schedule), 0u);
  }
}

TEST(Subsets, AllButOneProcess) {
  Graph graph(9);
  Builder b(graph);
  emit(graph, b, "alltoall-linear", ranks({0, 1, 2, 3, 5, 6, 7, 8}), 0, 1);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "alltoall");
  EXPECT_EQ(schedule.numMembers(schedule.collectives[0], graph), 8u);
}

TEST(Subsets, LargestRootedFirst) {
  // Two gathers of the same size whose sources overlap.
  Graph graph(12);
  Builder b(graph);
  for (Rank i = 1; i < 9; ++i)
    b.message(i, 0, 0, 100 * i, 8);
  for (Rank i = 6; i < 11; ++i)
    b.message(i, 8, 11, 100 * i, 8);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  ASSERT_EQ(kindsOf(schedule), "gather gather");
  EXPECT_EQ(schedule.collectives[0].root, 0u);
  EXPECT_EQ(schedule.numMembers(schedule.collectives[0], graph), 9u);
  EXPECT_EQ(schedule.numMembers(schedule.collectives[1], graph), 6u);
}

TEST(Subsets, SmallGroupsAreLeftAlone) {
  Graph graph(32);
  Builder b(graph);
  for (Rank i = 1; i < 6; ++i)
    b.message(i, 0, 0, 100 * i, 8); // 6 of 32 is less than a quarter
  b.message(10, 0, 11, 0, 16);
  b.message(10, 0, 12, 0, 16); // a broadcast to two
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "");
  CompileOptions options;
  options.detect.subsetMinFraction = 0;
  options.detect.subsetMinRanks = 3;
  compileAndCheck(graph, schedule, options);
  EXPECT_EQ(kindsOf(schedule), "bcast gather");
}
