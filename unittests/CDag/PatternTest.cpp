// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pattern is detected, alone and among random messages. COMM_CDAG_ALL=1 tests 2 to 64 processes.
#include "TestUtil.h"

#include <cstdlib>

using namespace comm::cdag;

namespace {

/// On two processes several collectives coincide; detection returns the first one in the hierarchy.
CollectiveKind expected(CollectiveKind kind, uint32_t p) {
  if (p > 2)
    return kind;
  switch (kind) {
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter:
  case CollectiveKind::Exscan: // its only result is a copy
    return CollectiveKind::Bcast;
  case CollectiveKind::Alltoall:
    return CollectiveKind::Allgather;
  default:
    return kind;
  }
}

struct Planted {
  Vec<OpId> sends; ///< of the random messages
};

/// Adds p messages between separate buffers, of one size or (0) different sizes, before, after and unordered with the
/// pattern's operations.
void addRandomMessages(Graph &graph, Builder &builder, Random &random, uint32_t count, uint32_t first, uint64_t oneSize,
                       Planted &planted) {
  uint32_t p = graph.numRanks();
  // After the largest pattern: 5 blocks of 40 bytes per process.
  Addr area = 5 * 40 * 64 + 4096;
  for (uint32_t i = 0; i < count; ++i) {
    Rank src = Rank(random.below(p)), dst = Rank(random.below(p));
    if (src == dst)
      dst = (dst + 1) % p;
    OpId before[2] = {builder.lastOp(src), builder.lastOp(dst)};
    uint64_t size = oneSize ? oneSize : 200 + 8 * (first + i);
    Addr at = area + 3000 * (first + i);
    builder.message(src, at, dst, at + 1500, size, int32_t(1000000 + first + i));
    OpId send = graph.numOps() - 2, recv = send + 1;
    planted.sends.push_back(send);
    for (int end = 0; end < 2; ++end)
      if (before[end] != kNone && random.chance(50))
        graph.addDependency(end ? recv : send, before[end]);
  }
}

enum Noise { None, OtherSizes, SameSize };

void plant(const Pattern &pattern, uint32_t p, Noise noise, SyncPolicy sync) {
  if (pattern.powerOfTwo && (p & (p - 1)))
    return;
  SCOPED_TRACE(std::string(pattern.name) + " on " + std::to_string(p) + (noise ? " with messages" : ""));
  Graph graph(p);
  Builder builder(graph);
  Random random(p * 100 + noise);
  Planted planted;
  PatternOptions options;
  options.bytes = 8 * (1 + random.below(5));
  uint64_t size = noise == SameSize ? options.bytes : 0;
  if (noise)
    addRandomMessages(graph, builder, random, p / 2, 0, size, planted);
  Vec<Rank> members(p);
  for (Rank r = 0; r < p; ++r)
    members[r] = r;
  options.root = pattern.kind == CollectiveKind::Scan ? 0 : p / 3;
  Error error = emitPattern(graph, builder, pattern, members, options);
  ASSERT_FALSE(error) << error.text;
  if (noise)
    addRandomMessages(graph, builder, random, p - p / 2, p, size, planted);
  CompileOptions co;
  co.sync = sync;
  Schedule schedule;
  compileAndCheck(graph, schedule, co);
  CollectiveKind kind = expected(pattern.kind, p);
  unsigned found = 0;
  for (const Collective &c : schedule.collectives)
    found += c.kind == kind && schedule.numMembers(c, graph) == p;
  EXPECT_GE(found, 1u) << kindsOf(schedule);
  if (p == 2 && noise)
    return; // a message between two processes is a broadcast
  // Long chains also have a barrier.
  bool chain = sync == SyncPolicy::Keep && kindsOf(schedule).find("barrier") != std::string::npos &&
               kind != CollectiveKind::Barrier;
  EXPECT_EQ(schedule.collectives.size(), chain ? 2u : 1u) << kindsOf(schedule);
  for (OpId send : planted.sends)
    EXPECT_EQ(schedule.action(send), Action::Keep);
  // Nothing else carries data.
  EXPECT_EQ(countKept(graph, schedule), planted.sends.size());
}

} // namespace

class Patterns : public testing::TestWithParam<int> {};

TEST_P(Patterns, IsFound) {
  const Pattern &pattern = patternsBegin()[GetParam()];
  Vec<uint32_t> counts;
  if (std::getenv("COMM_CDAG_ALL"))
    for (uint32_t p = 2; p <= 64; ++p)
      counts.push_back(p);
  else
    for (uint32_t p : {2, 3, 4, 5, 7, 8, 11, 16})
      counts.push_back(p);
  for (uint32_t p : counts)
    for (Noise noise : {None, OtherSizes, SameSize})
      // On few processes, messages of one size can be a gather by accident.
      if (noise != SameSize || p >= 11)
        plant(pattern, p, noise, p % 2 ? SyncPolicy::Keep : SyncPolicy::Data);
}

INSTANTIATE_TEST_SUITE_P(All, Patterns, testing::Range(0, int(patternsEnd() - patternsBegin())),
                         [](const testing::TestParamInfo<int> &info) {
                           std::string text = patternsBegin()[info.param].name;
                           for (char &c : text)
                             if (c == '-')
                               c = '_';
                           return text;
                         });

TEST(PatternTable, Errors) {
  Graph graph;
  PatternOptions options;
  EXPECT_EQ(generatePattern("bcast-magic", 4, options, graph).code, ErrorCode::BadArgument);
  EXPECT_EQ(generatePattern("alltoall-butterfly", 6, options, graph).code, ErrorCode::BadArgument);
  options.root = 4;
  EXPECT_EQ(generatePattern("bcast-linear", 4, options, graph).code, ErrorCode::BadRank);
  options.root = 0;
  options.bytes = uint64_t(1) << 62;
  EXPECT_EQ(generatePattern("bcast-linear", 4, options, graph).code, ErrorCode::BadSize);
  EXPECT_EQ(generatePattern("bcast-linear", 0, PatternOptions(), graph).code, ErrorCode::BadRank);
  EXPECT_FALSE(generatePattern("bcast-linear", 1, PatternOptions(), graph));
}
