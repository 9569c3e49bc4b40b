// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Cliques.h"
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
bool isClique(const BitGraph &graph, const Vec<uint32_t> &clique) {
  for (uint32_t a : clique)
    for (uint32_t b : clique)
      if (a != b && !graph.joined(a, b))
        return false;
  return true;
}
} // namespace

TEST(Cliques, Trivial) {
  EXPECT_EQ(largeClique(BitGraph(0)).size(), 0u);
  EXPECT_EQ(largeClique(BitGraph(5)).size(), 1u);
  BitGraph full(70);
  for (uint32_t a = 0; a < 70; ++a)
    for (uint32_t b = 0; b < a; ++b)
      full.join(a, b);
  EXPECT_EQ(largeClique(full).size(), 70u);
}

TEST(Cliques, HeuristicAgainstExhaustiveSearch) {
  // Random graphs of 6 to 20 vertices, sparse to dense, some with a planted clique. The heuristic must always return a
  // clique, and rarely a smaller one than the largest.
  Random random(7);
  unsigned graphs = 0, optimal = 0;
  double ratio = 0;
  for (unsigned trial = 0; trial < 2000; ++trial) {
    uint32_t n = 6 + uint32_t(random.below(15));
    unsigned density = 20 + unsigned(random.below(70));
    BitGraph graph(n);
    for (uint32_t a = 0; a < n; ++a)
      for (uint32_t b = 0; b < a; ++b)
        if (random.chance(density))
          graph.join(a, b);
    if (random.chance(50)) {
      Vec<uint32_t> planted;
      for (uint32_t v = 0; v < n; ++v)
        if (random.chance(40))
          planted.push_back(v);
      for (uint32_t a : planted)
        for (uint32_t b : planted)
          if (a != b)
            graph.join(a, b);
    }
    Vec<uint32_t> heuristic = largeClique(graph), exact = largestClique(graph);
    ASSERT_TRUE(isClique(graph, heuristic));
    ASSERT_TRUE(isClique(graph, exact));
    ASSERT_LE(heuristic.size(), exact.size());
    ++graphs;
    optimal += heuristic.size() == exact.size();
    ratio += double(heuristic.size()) / double(exact.size());
  }
  std::printf("heuristic cliques: the largest in %.1f%% of %u graphs, %.4f of "
              "its size on average\n",
              100.0 * optimal / graphs, graphs, ratio / graphs);
  EXPECT_GT(optimal, graphs * 97 / 100);
}
