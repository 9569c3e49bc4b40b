// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
/// Adds `fill` more operations, so that both algorithms are tested.
Error check(Graph &graph, unsigned fill) {
  for (unsigned i = 0; i < fill; ++i)
    graph.addCopy(0, 100000 + 16 * i, 100008 + 16 * i, 8);
  Matching m;
  if (Error error = matchMessages(graph, m))
    return error;
  return checkRaces(graph, m);
}
class Races : public testing::TestWithParam<unsigned> {};
} // namespace

TEST_P(Races, TwoReceivesIntoOneBuffer) {
  Graph graph(3);
  graph.addBuffer(0, 0, 64, "inbox");
  OpId a = graph.addRecv(0, 0, 8, 1), b = graph.addRecv(0, 7, 8, 2);
  graph.addSend(1, 0, 8, 0);
  graph.addSend(2, 0, 8, 0);
  Error error = check(graph, GetParam());
  ASSERT_EQ(error.code, ErrorCode::Race);
  std::string text = error.text;
  EXPECT_NE(text.find("process 0"), text.npos) << text;
  EXPECT_NE(text.find("inbox"), text.npos) << text;
  EXPECT_NE(text.find("operation 0"), text.npos) << text;
  EXPECT_NE(text.find("operation 1"), text.npos) << text;
  graph.addDependency(b, a);
  EXPECT_FALSE(check(graph, 0));
}

TEST_P(Races, SendOfWhatArrives) {
  Graph graph(2);
  OpId r = graph.addRecv(0, 0, 8, 1);
  OpId s = graph.addSend(0, 0, 8, 1, 1);
  graph.addSend(1, 0, 8, 0);
  graph.addRecv(1, 8, 8, 0, 1);
  EXPECT_EQ(check(graph, GetParam()).code, ErrorCode::Race);
  // Either order removes the race.
  graph.addDependency(s, r);
  EXPECT_FALSE(check(graph, 0));
}

TEST_P(Races, ReadsMayOverlapAndPathsCount) {
  Graph graph(1);
  OpId w = graph.addCopy(0, 0, 64, 16);
  OpId mid = graph.addNop(0);
  graph.addDependency(mid, w);
  OpId r1 = graph.addCopy(0, 200, 0, 16), r2 = graph.addCopy(0, 300, 8, 8);
  graph.addDependency(r1, mid);
  graph.addDependency(r2, mid);
  OpId w2 = graph.addCopy(0, 4, 64, 8);
  graph.addDependency(w2, r1);
  EXPECT_EQ(check(graph, GetParam()).code, ErrorCode::Race); // w2 and r2
  graph.addDependency(w2, r2);
  EXPECT_FALSE(check(graph, 0));
}

TEST_P(Races, NeighborsDoNotTouch) {
  Graph graph(3);
  graph.addRecv(0, 0, 8, 1);
  graph.addRecv(0, 8, 8, 2);
  graph.addRecv(0, 8, 0, 2, 1); // zero bytes
  graph.addSend(1, 0, 8, 0);
  graph.addSend(2, 0, 8, 0);
  graph.addSend(2, 0, 0, 0, 1);
  EXPECT_FALSE(check(graph, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(SmallAndLarge, Races, testing::Values(0u, 30u));

TEST(RacesOfMany, LongChainsAreFast) {
  // A receive, then very many sends of it, one after another.
  Graph graph(2);
  constexpr uint32_t n = 100000;
  OpId last = graph.addRecv(0, 0, 8, 1, 0);
  graph.addSend(1, 0, 8, 0, 0);
  for (uint32_t i = 0; i < n; ++i) {
    OpId s = graph.addSend(0, 0, 8, 1, 1);
    graph.addDependency(s, last);
    last = s;
    graph.addRecv(1, 8 + 8 * i, 8, 0, 1);
  }
  OpId w = graph.addRecv(0, 0, 8, 1, 2);
  graph.addDependency(w, last);
  graph.addSend(1, 0, 8, 0, 2);
  EXPECT_FALSE(check(graph, 0));
}

TEST(RacesOfMany, JoinsAreFast) {
  // One buffer is sent to many processes. After all of these sends, equally many parts of it are overwritten: one joint
  // orders each part after each send.
  Graph graph(2);
  constexpr uint32_t n = 3000;
  OpId joint = graph.addNop(0);
  for (uint32_t i = 0; i < n; ++i) {
    graph.addDependency(joint, graph.addSend(0, 0, 8 * n, 1, 1));
    graph.addRecv(1, 8 * n * i, 8 * n, 0, 1);
  }
  for (uint32_t i = 0; i < n; ++i) {
    OpId r = graph.addRecv(0, 8 * i, 8, 1, 2);
    graph.addDependency(r, joint);
    graph.addSend(1, (uint64_t(1) << 40) + 8 * i, 8, 0, 2);
  }
  EXPECT_FALSE(check(graph, 0));
  // A part without that order is found.
  graph.addRecv(0, 16, 8, 1, 3);
  graph.addSend(1, uint64_t(1) << 41, 8, 0, 3);
  EXPECT_EQ(check(graph, 0).code, ErrorCode::Race);
}

TEST(RacesOfMany, TooEntangledIsLeftAlone) {
  Graph graph(2);
  constexpr uint32_t n = 20000;
  OpId joint = graph.addNop(0);
  for (uint32_t i = 0; i < n; ++i) {
    graph.addDependency(joint, graph.addSend(0, 0, 8 * n, 1, 1));
    graph.addRecv(1, uint64_t(8) * n * i, 8 * n, 0, 1);
  }
  for (uint32_t i = 0; i < n; ++i) {
    OpId r = graph.addRecv(0, 8 * i, 8, 1, 2);
    graph.addDependency(r, joint);
    graph.addSend(1, (uint64_t(1) << 40) + 8 * i, 8, 0, 2);
  }
  Schedule schedule;
  CompileStats stats;
  EXPECT_FALSE(compile(graph, CompileOptions(), schedule, &stats));
  EXPECT_FALSE(stats.analyzed);
  EXPECT_TRUE(schedule.collectives.empty());
  EXPECT_EQ(schedule.match.size(), graph.numOps());
  EXPECT_EQ(stats.keptMessages, 2 * n);
}
