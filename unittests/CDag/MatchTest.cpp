// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
Error match(Graph &graph, Matching &m) { return matchMessages(graph, m); }
bool contains(const Error &error, const char *text) { return std::string(error.text).find(text) != std::string::npos; }
} // namespace

TEST(Match, FirstInFirstOut) {
  Graph graph(2);
  OpId s[3], r[3];
  for (int i = 0; i < 3; ++i)
    s[i] = graph.addSend(0, 8 * i, 8, 1, 5);
  for (int i = 0; i < 3; ++i)
    r[i] = graph.addRecv(1, 8 * i, 8, 0, 5);
  Matching m;
  ASSERT_FALSE(match(graph, m));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(m.partner[s[i]], r[i]);
}

TEST(Match, OrderOfExecutionNotOfInsertion) {
  Graph graph(2);
  OpId late = graph.addSend(0, 0, 8, 1, 5);
  OpId early = graph.addSend(0, 8, 8, 1, 5);
  graph.addDependency(late, early);
  OpId r0 = graph.addRecv(1, 0, 8, 0, 5), r1 = graph.addRecv(1, 8, 8, 0, 5);
  graph.addDependency(r1, r0);
  Matching m;
  ASSERT_FALSE(match(graph, m));
  EXPECT_EQ(m.partner[early], r0);
  EXPECT_EQ(m.partner[late], r1);
  EXPECT_EQ(m.order.size(), 4u);
}

TEST(Match, TagsAndManySourcesOfOneProcess) {
  Graph graph(40);
  Vec<OpId> sends, recvs;
  for (Rank r = 1; r < 40; ++r)
    for (int tag = 0; tag < 3; ++tag)
      recvs.push_back(graph.addRecv(0, 8 * recvs.size(), 8, r, tag));
  for (Rank r = 1; r < 40; ++r)
    for (int tag = 2; tag >= 0; --tag)
      sends.push_back(graph.addSend(r, 8 * tag, 8, 0, tag));
  Matching m;
  ASSERT_FALSE(match(graph, m));
  for (Rank r = 1; r < 40; ++r)
    for (int tag = 0; tag < 3; ++tag)
      EXPECT_EQ(m.partner[recvs[(r - 1) * 3 + tag]], sends[(r - 1) * 3 + 2 - tag]);
}

TEST(Match, Wildcards) {
  Graph graph(3);
  OpId anyTag = graph.addRecv(0, 0, 8, 1, kAnyTag);
  OpId any = graph.addRecv(0, 8, 8, kAnySource, kAnyTag);
  OpId anySource = graph.addRecv(0, 16, 8, kAnySource, 9);
  graph.addDependency(any, anyTag);
  graph.addDependency(anySource, any);
  OpId a = graph.addSend(1, 0, 8, 0, 4);
  OpId b = graph.addSend(2, 0, 8, 0, 7);
  OpId c = graph.addSend(2, 8, 8, 0, 9);
  graph.addDependency(c, b);
  Matching m;
  Error error = match(graph, m);
  ASSERT_FALSE(error) << error.text;
  EXPECT_EQ(m.partner[anyTag], a);
  EXPECT_EQ(m.partner[any], b);
  EXPECT_EQ(m.partner[anySource], c);
}

TEST(Match, WildcardTakesTheEarliestPosted) {
  // Posted receives are matched in the order of posting, with or without wildcards.
  Graph graph(2);
  OpId wild = graph.addRecv(0, 0, 8, kAnySource, 1);
  OpId exact = graph.addRecv(0, 8, 8, 1, 1);
  OpId first = graph.addSend(1, 0, 8, 0, 1), second = graph.addSend(1, 8, 8, 0, 1);
  graph.addDependency(second, first);
  Matching m;
  ASSERT_FALSE(match(graph, m));
  EXPECT_EQ(m.partner[first], wild);
  EXPECT_EQ(m.partner[second], exact);
}

TEST(Match, GatherByWildcards) {
  Graph graph(50);
  for (Rank r = 1; r < 50; ++r)
    graph.addRecv(0, 8 * r, 8, kAnySource, 0);
  for (Rank r = 1; r < 50; ++r)
    graph.addSend(r, 0, 8, 0, 0);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  EXPECT_EQ(kindsOf(schedule), "gather");
}

TEST(Match, UnmatchedNamesProcessOperationAndBuffer) {
  Graph graph(3);
  graph.addBuffer(1, 64, 32, "halo");
  graph.addNop(1);
  OpId lone = graph.addRecv(1, 72, 8, 2, 3);
  Matching m;
  Error error = match(graph, m);
  EXPECT_EQ(error.code, ErrorCode::Unmatched);
  EXPECT_EQ(error.op, lone);
  EXPECT_EQ(error.rank, 1u);
  EXPECT_TRUE(contains(error, "process 1, operation 1 (recv of 8 bytes at "
                              "halo+8 from process 2, tag 3) has no matching "
                              "send"))
      << error.text;
  Graph send(2);
  send.addSend(0, 0, 8, 1, 0);
  send.addRecv(1, 0, 8, 0, 1); // another tag
  EXPECT_EQ(match(send, m).code, ErrorCode::Unmatched);
}

TEST(Match, UnmatchedBehindOthersIsFound) {
  Graph graph(2);
  OpId lone = graph.addRecv(0, 0, 8, 1, 0);
  OpId blocked = graph.addSend(0, 8, 8, 1, 1);
  graph.addDependency(blocked, lone);
  graph.addRecv(1, 0, 8, 0, 1);
  Matching m;
  Error error = match(graph, m);
  EXPECT_EQ(error.code, ErrorCode::Unmatched);
  EXPECT_EQ(error.op, lone);
}

TEST(Match, Truncation) {
  Graph graph(2);
  graph.addSend(0, 0, 16, 1);
  OpId recv = graph.addRecv(1, 0, 8, 0);
  Matching m;
  Error error = match(graph, m);
  EXPECT_EQ(error.code, ErrorCode::Truncation);
  EXPECT_EQ(error.op, recv);
  EXPECT_TRUE(contains(error, "process 1")) << error.text;
  // A longer receive is fine.
  Graph longer(2);
  longer.addSend(0, 0, 8, 1);
  longer.addRecv(1, 0, 16, 0);
  Schedule schedule;
  compileAndCheck(longer, schedule);
}

TEST(Match, DeadlockBetweenProcesses) {
  Graph graph(2);
  for (Rank r = 0; r < 2; ++r) {
    OpId recv = graph.addRecv(r, 0, 8, 1 - r);
    OpId send = graph.addSend(r, 8, 8, 1 - r);
    graph.addDependency(send, recv);
  }
  Matching m;
  Error error = match(graph, m);
  EXPECT_EQ(error.code, ErrorCode::Deadlock);
  EXPECT_TRUE(contains(error, "process 0")) << error.text;
  EXPECT_TRUE(contains(error, "process 1")) << error.text;
}

TEST(Match, DeadlockWithinAProcess) {
  Graph graph(1);
  OpId a = graph.addNop(0), b = graph.addNop(0), c = graph.addNop(0);
  graph.addDependency(b, a);
  graph.addDependency(c, b);
  graph.addDependency(a, c);
  Matching m;
  EXPECT_EQ(match(graph, m).code, ErrorCode::Deadlock);
}

TEST(Match, LongCycle) {
  // The cycle is longer than an error text.
  Graph graph(1);
  Vec<OpId> ops;
  for (int i = 0; i < 100000; ++i)
    ops.push_back(graph.addNop(0));
  for (size_t i = 0; i < ops.size(); ++i)
    graph.addDependency(ops[(i + 1) % ops.size()], ops[i]);
  Matching m;
  EXPECT_EQ(match(graph, m).code, ErrorCode::Deadlock);
}

TEST(Match, SendToOneself) {
  Graph graph(1);
  graph.addSend(0, 0, 8, 0);
  graph.addRecv(0, 8, 8, 0);
  Schedule schedule;
  compileAndCheck(graph, schedule);
  Graph blocking(1);
  OpId s = blocking.addSend(0, 0, 8, 0);
  OpId r = blocking.addRecv(0, 8, 8, 0);
  blocking.addDependency(r, s);
  Matching m;
  EXPECT_EQ(match(blocking, m).code, ErrorCode::Deadlock);
}
