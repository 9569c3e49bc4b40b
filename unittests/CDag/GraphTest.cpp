// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
bool contains(const Error &error, const char *text) { return std::string(error.text).find(text) != std::string::npos; }
constexpr uint64_t kHuge = (uint64_t(1) << 63) - 1;
} // namespace

TEST(Graph, WrongRanksNameTheProcess) {
  Graph own(4);
  EXPECT_EQ(own.addSend(4, 0, 8, 1), kNone);
  EXPECT_EQ(own.error().code, ErrorCode::BadRank);
  EXPECT_EQ(own.error().rank, 4u);
  Graph peer(4);
  EXPECT_EQ(peer.addSend(1, 16, 8, 7), kNone);
  EXPECT_EQ(peer.error().code, ErrorCode::BadRank);
  EXPECT_TRUE(contains(peer.error(), "process 1")) << peer.error().text;
  EXPECT_TRUE(contains(peer.error(), "peer 7")) << peer.error().text;
  EXPECT_TRUE(contains(peer.error(), "0x10")) << peer.error().text;
  // A send needs a receiver; only receives have wildcards.
  Graph wild(4);
  EXPECT_EQ(wild.addSend(1, 0, 8, kAnySource), kNone);
  EXPECT_NE(wild.addRecv(1, 0, 8, kAnySource, kAnyTag), kNone);
  Graph empty(0);
  EXPECT_EQ(empty.addNop(0), kNone);
}

TEST(Graph, SizesNear2To63) {
  Graph fits(2);
  EXPECT_NE(fits.addSend(0, 0, kHuge, 1), kNone);
  for (auto [addr, size] :
       {std::pair<uint64_t, uint64_t>{1, kHuge}, {kHuge, 1}, {0, kHuge + 1}, {~uint64_t(0), 1}, {8, ~uint64_t(0)}}) {
    Graph graph(2);
    EXPECT_EQ(graph.addRecv(0, addr, size, 1), kNone);
    EXPECT_EQ(graph.error().code, ErrorCode::BadSize);
    EXPECT_EQ(graph.error().rank, 0u);
  }
  Graph copy(2);
  EXPECT_EQ(copy.addCopy(0, 0, kHuge, 8), kNone);
  EXPECT_EQ(copy.error().code, ErrorCode::BadSize);
}

TEST(Graph, LocalOperations) {
  Graph overlap(1);
  EXPECT_EQ(overlap.addCopy(0, 0, 4, 8), kNone);
  EXPECT_EQ(overlap.error().code, ErrorCode::Race);
  Graph elements(1);
  EXPECT_EQ(elements.addReduce(0, 0, 16, 12, Operator::Sum, ElementType::Int64), kNone);
  EXPECT_EQ(elements.error().code, ErrorCode::BadSize);
  Graph bits(1);
  EXPECT_EQ(bits.addReduce(0, 0, 16, 8, Operator::BAnd, ElementType::Double), kNone);
  Graph user(1);
  EXPECT_EQ(user.addUserReduce(0, 0, 16, 8, kUserOperator), kNone);
  Graph known(1);
  uint8_t op = known.addOperator(OperatorLaws(), 4);
  EXPECT_NE(known.addUserReduce(0, 0, 16, 8, op), kNone);
}

TEST(Graph, DependenciesAreLocal) {
  Graph graph(2);
  OpId a = graph.addNop(0), b = graph.addNop(1);
  graph.addDependency(b, a);
  EXPECT_EQ(graph.error().code, ErrorCode::BadDependency);
  Graph self(1);
  a = self.addNop(0);
  self.addDependency(a, a);
  EXPECT_EQ(self.error().code, ErrorCode::BadDependency);
  Graph missing(1);
  missing.addDependency(0, 17);
  EXPECT_EQ(missing.error().code, ErrorCode::BadDependency);
}

TEST(Graph, IndicesFollowAnyOrderOfInsertion) {
  Graph graph(3);
  OpId a = graph.addNop(2), b = graph.addNop(0), c = graph.addNop(2);
  OpId d = graph.addNop(0);
  graph.addDependency(d, b);
  graph.addDependency(c, a);
  graph.freeze();
  ASSERT_EQ(graph.numOpsOf(0), 2u);
  ASSERT_EQ(graph.numOpsOf(1), 0u);
  EXPECT_EQ(graph.opOf(0, 0), b);
  EXPECT_EQ(graph.opOf(0, 1), d);
  EXPECT_EQ(graph.opOf(2, 1), c);
  ASSERT_EQ(graph.depsEnd(c) - graph.depsBegin(c), 1);
  EXPECT_EQ(graph.depsBegin(c)->on, a);
  EXPECT_EQ(graph.depsBegin(d)->on, b);
}

TEST(Graph, Liveness) {
  Graph graph(2);
  graph.addBuffer(kNone, 100, 50, "everywhere", true);
  graph.addBuffer(1, 140, 20, "there", true);
  graph.addBuffer(0, 0, 50, "kept", false);
  Liveness live(graph);
  auto pieces = [&](Rank rank, Addr lo, Addr hi) {
    std::string text;
    live.forEachLive(rank, lo, hi, [&](Addr a, Addr b) { text += std::to_string(a) + "-" + std::to_string(b) + " "; });
    return text;
  };
  EXPECT_EQ(pieces(0, 0, 200), "0-100 150-200 ");
  EXPECT_EQ(pieces(1, 0, 200), "0-100 160-200 ");
  EXPECT_EQ(pieces(0, 110, 120), "");
  EXPECT_EQ(pieces(1, 155, 170), "160-170 ");
}

TEST(Graph, MemoryIsCounted) {
  size_t before = memoryMeter().current;
  {
    Vec<uint64_t> v(1000, 0);
    EXPECT_EQ(memoryMeter().current, before + 8000);
  }
  EXPECT_EQ(memoryMeter().current, before);
}
