// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles arbitrary graphs: the result is an error or a correct schedule, without crashes or hangs.
// COMM_CDAG_FUZZ=count for more.
#include "TestUtil.h"

#include <cstdlib>

using namespace comm::cdag;

namespace {

void nonsense(uint64_t seed, Graph &graph) {
  Random random(seed);
  graph = Graph(uint32_t(random.below(5)));
  uint32_t p = graph.numRanks();
  bool wild = random.chance(30);
  uint64_t span = 8 + 8 * random.below(30);
  auto number = [&](uint64_t usual) -> uint64_t {
    if (!wild || !random.chance(5))
      return usual;
    switch (random.below(4)) {
    case 0:
      return random.next();
    case 1:
      return (uint64_t(1) << 63) - 1 - random.below(20);
    case 2:
      return uint64_t(1) << random.below(64);
    default:
      return 0;
    }
  };
  auto rank = [&] { return Rank(number(p ? random.below(p) : 0)); };
  auto addr = [&] { return number(random.below(span)); };
  auto size = [&] { return number(random.below(2) * 8 * random.below(4)); };
  auto tag = [&] { return int32_t(number(random.below(2))); };
  unsigned count = unsigned(random.below(24));
  for (unsigned i = 0; i < count; ++i) {
    switch (random.below(8)) {
    case 0:
      graph.addCopy(rank(), addr(), addr(), size());
      break;
    case 1:
      graph.addReduce(rank(), 8 * (addr() / 8), 8 * (addr() / 8), size(), Operator(number(random.below(10))),
                      ElementType(random.below(11)), random.chance(50));
      break;
    case 2:
      graph.addNop(rank());
      break;
    case 3: // one end only
      graph.addSend(rank(), addr(), size(), rank(), tag());
      break;
    case 4:
      graph.addRecv(rank(), addr(), size(), random.chance(30) ? kAnySource : rank(),
                    random.chance(30) ? kAnyTag : tag());
      break;
    default: {
      Rank a = rank(), b = rank();
      uint64_t bytes = size();
      int32_t t = tag();
      graph.addSend(a, addr(), bytes, b, t);
      graph.addRecv(b, addr(), bytes, random.chance(10) ? kAnySource : a, random.chance(10) ? kAnyTag : t);
      break;
    }
    }
  }
  // Usually order each process's operations, so that some graphs have no races.
  bool ordered = random.chance(80);
  Vec<OpId> last(p, kNone);
  for (OpId op = 0; ordered && op < graph.numOps(); ++op) {
    Rank r = graph.rank(op);
    if (last[r] != kNone && random.chance(95))
      graph.addDependency(op, last[r]);
    last[r] = op;
  }
  for (uint64_t i = random.below(ordered ? 2 : 12); i > 0 && graph.numOps(); --i) {
    OpId a = OpId(number(random.below(graph.numOps())));
    OpId b = OpId(number(random.below(graph.numOps())));
    if (wild || (a < graph.numOps() && b < graph.numOps() && a != b && graph.rank(a) == graph.rank(b)))
      graph.addDependency(a, b);
  }
  if (random.chance(30))
    graph.addBuffer(random.chance(50) ? kNone : rank(), addr(), size(), "b", true);
}

} // namespace

TEST(Fuzz, ErrorOrRightSchedule) {
  const char *wanted = std::getenv("COMM_CDAG_FUZZ");
  unsigned long count = wanted ? std::strtoul(wanted, nullptr, 10) : 30000;
  unsigned long codes[16] = {};
  for (unsigned long seed = 1; seed <= count; ++seed) {
    Graph graph;
    nonsense(seed, graph);
    Schedule schedule;
    Error error = compile(graph, CompileOptions(), schedule);
    ++codes[unsigned(error.code)];
    if (error) {
      ASSERT_GT(std::strlen(error.text), 10u) << "seed " << seed;
      continue;
    }
    Image before;
    if (before.create(graph, seed))
      continue; // too large to run
    SCOPED_TRACE(seed);
    compileAndCheck(graph, schedule);
    if (HasFatalFailure())
      return;
  }
  // All kinds of errors occurred, and graphs without errors.
  for (ErrorCode code :
       {ErrorCode::None, ErrorCode::BadRank, ErrorCode::BadSize, ErrorCode::BadArgument, ErrorCode::BadDependency,
        ErrorCode::Unmatched, ErrorCode::Truncation, ErrorCode::Deadlock, ErrorCode::Race})
    EXPECT_GT(codes[unsigned(code)], 0u) << name(code);
}
