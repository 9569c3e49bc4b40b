// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Cliques.h"

#include <algorithm>

namespace comm::cdag {

namespace {

uint32_t countCommon(const uint64_t *a, const uint64_t *b, uint32_t words) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < words; ++w)
    n += static_cast<uint32_t>(__builtin_popcountll(a[w] & b[w]));
  return n;
}

bool any(const Vec<uint64_t> &set) {
  for (uint64_t word : set)
    if (word)
      return true;
  return false;
}

template <typename Fn> void forEachBit(const uint64_t *set, uint32_t words, Fn fn) {
  for (uint32_t w = 0; w < words; ++w)
    for (uint64_t bits = set[w]; bits; bits &= bits - 1)
      fn(w * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
}

/// Extends `clique` greedily: always adds the candidate with the most neighbors among the remaining candidates.
void extendGreedily(const BitGraph &graph, Vec<uint64_t> candidates, Vec<uint32_t> &clique) {
  while (any(candidates)) {
    uint32_t best = kNone, bestCommon = 0;
    forEachBit(candidates.begin(), graph.words(), [&](uint32_t v) {
      uint32_t common = countCommon(candidates.begin(), graph.row(v), graph.words());
      if (best == kNone || common > bestCommon) {
        best = v;
        bestCommon = common;
      }
    });
    clique.push_back(best);
    const uint64_t *row = graph.row(best);
    for (uint32_t w = 0; w < graph.words(); ++w)
      candidates[w] &= row[w];
  }
}

Vec<uint64_t> commonNeighbors(const BitGraph &graph, const Vec<uint32_t> &clique, uint32_t without) {
  Vec<uint64_t> common(graph.words(), ~uint64_t(0));
  if (graph.size() % 64)
    common.back() = (uint64_t(1) << (graph.size() % 64)) - 1;
  for (uint32_t v : clique) {
    if (v == without)
      continue;
    const uint64_t *row = graph.row(v);
    for (uint32_t w = 0; w < graph.words(); ++w)
      common[w] &= row[w];
  }
  if (without != kNone)
    common[without / 64] &= ~(uint64_t(1) << (without % 64));
  return common;
}

/// Replaces one vertex by two others as long as that is possible.
void improve(const BitGraph &graph, Vec<uint32_t> &clique) {
  for (bool better = true; better;) {
    better = false;
    for (size_t i = 0; i < clique.size() && !better; ++i) {
      Vec<uint32_t> grown;
      for (uint32_t v : clique)
        if (v != clique[i])
          grown.push_back(v);
      extendGreedily(graph, commonNeighbors(graph, clique, clique[i]), grown);
      if (grown.size() > clique.size()) {
        clique.swap(grown);
        better = true;
      }
    }
  }
}

struct Exact {
  const BitGraph &graph;
  Vec<uint32_t> best, current;

  void search(Vec<uint64_t> candidates) {
    uint32_t left = 0;
    for (uint64_t word : candidates)
      left += static_cast<uint32_t>(__builtin_popcountll(word));
    if (current.size() + left <= best.size())
      return;
    if (left == 0) {
      best = current;
      return;
    }
    for (uint32_t v = 0; v < graph.size(); ++v) {
      if (!(candidates[v / 64] >> (v % 64) & 1))
        continue;
      candidates[v / 64] &= ~(uint64_t(1) << (v % 64));
      Vec<uint64_t> inner = candidates;
      for (uint32_t w = 0; w < graph.words(); ++w)
        inner[w] &= graph.row(v)[w];
      current.push_back(v);
      search(inner);
      current.pop_back();
    }
  }
};

} // namespace

uint32_t BitGraph::degree(uint32_t v) const { return countCommon(row(v), row(v), words_); }

Vec<uint32_t> largeClique(const BitGraph &graph) {
  Vec<uint32_t> order(graph.size());
  for (uint32_t v = 0; v < graph.size(); ++v)
    order[v] = v;
  Vec<uint32_t> degree(graph.size());
  for (uint32_t v = 0; v < graph.size(); ++v)
    degree[v] = graph.degree(v);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return degree[a] != degree[b] ? degree[a] > degree[b] : a < b; });
  Vec<uint32_t> best;
  // Roughly the number of words to inspect; large graphs get fewer starts.
  uint64_t budget = uint64_t(1) << 27;
  for (uint32_t v : order) {
    if (degree[v] + 1 <= best.size())
      break;
    uint64_t cost = uint64_t(degree[v] + 1) * (degree[v] + 1) / 2 * graph.words();
    Vec<uint32_t> clique;
    clique.push_back(v);
    Vec<uint64_t> candidates;
    candidates.append(graph.row(v), graph.row(v) + graph.words());
    extendGreedily(graph, candidates, clique);
    if (cost * (clique.size() + 1) < budget)
      improve(graph, clique);
    if (clique.size() > best.size())
      best.swap(clique);
    if (cost > budget)
      break;
    budget -= cost;
  }
  std::sort(best.begin(), best.end());
  return best;
}

Vec<uint32_t> largestClique(const BitGraph &graph) {
  Exact exact{graph, {}, {}};
  Vec<uint32_t> none;
  exact.search(commonNeighbors(graph, none, kNone));
  std::sort(exact.best.begin(), exact.best.end());
  return exact.best;
}

} // namespace comm::cdag
