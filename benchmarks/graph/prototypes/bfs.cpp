// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search that pushes from small frontiers and pulls into large ones
// (Beamer, Asanovic and Patterson, SC 2012). Pushes to ghosts go to their owners, one per
// ghost. Pulls read a bitset of the frontier, in which ghosts have copies of their
// owners' bits.
#include "prototype.h"

#include <algorithm>
#include <cstdio>

namespace {

constexpr int64_t Alpha = 15, Beta = 18; // as in the paper

struct Search {
  const comm_graph_view &graph;
  Values<uint32_t> parent;
  std::vector<uint64_t> seen, front, next; // of owned vertices and ghosts
  std::vector<uint32_t> queue, grown;
  int64_t scout = 0; // edges of the vertices in `grown`

  static bool has(const std::vector<uint64_t> &bits, uint32_t v) { return bits[v / 64] >> (v % 64) & 1; }
  static void add(std::vector<uint64_t> &bits, uint32_t v) { bits[v / 64] |= uint64_t(1) << (v % 64); }
  int64_t degree(uint32_t v) const { return graph.out.offsets[v + 1] - graph.out.offsets[v]; }
  void reach(uint32_t v, uint32_t from) {
    add(seen, v);
    parent[v] = from;
    grown.push_back(v);
    scout += degree(v);
  }
};

struct Record {
  uint32_t index, parent;
};

void hear(void *context, int, const void *records, size_t count) {
  auto &search = *static_cast<Search *>(context);
  const auto *from = static_cast<const Record *>(records);
  for (size_t i = 0; i < count; ++i)
    if (!Search::has(search.seen, from[i].index))
      search.reach(from[i].index, from[i].parent);
}

/* Returns the number of ghosts that were reached. */
int64_t push(Search &search, Lists &lists) {
  const comm_graph_view &graph = search.graph;
  int64_t sent = 0;
  for (uint32_t u : search.queue) {
    auto name = static_cast<uint32_t>(graph.first) + u;
    for (int64_t e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
      uint32_t v = graph.out.neighbors[e];
      if (Search::has(search.seen, v))
        continue;
      if (v < graph.owned) {
        search.reach(v, name);
        continue;
      }
      Search::add(search.seen, v);
      *static_cast<Record *>(comm_reduce_append(lists.lists, comm_graph_owner(&graph, v))) = {
          graph.ghost_index[v - graph.owned], name};
      ++sent;
    }
  }
  return sent;
}

/* Returns the number of owned vertices that were reached. */
int64_t pull(Search &search) {
  const comm_graph_view &graph = search.graph;
  const comm_graph_edges &in = graph.is_symmetric ? graph.out : graph.in;
  int64_t awake = 0;
  std::fill(search.next.begin(), search.next.end(), 0);
  for (uint32_t word = 0; word * 64 < graph.owned; ++word) {
    uint64_t left = ~search.seen[word], reached = 0;
    if (graph.owned - word * 64 < 64)
      left &= (uint64_t(1) << (graph.owned % 64)) - 1;
    for (; left; left &= left - 1) {
      uint32_t v = word * 64 + static_cast<uint32_t>(__builtin_ctzll(left));
      for (int64_t e = in.offsets[v]; e < in.offsets[v + 1]; ++e)
        if (Search::has(search.front, in.neighbors[e])) {
          search.parent[v] = in.neighbors[e]; // a local id: renamed at the end of the step
          reached |= left & -left;
          break;
        }
    }
    search.seen[word] |= reached;
    search.next[word] |= reached;
    awake += __builtin_popcountll(reached);
    for (; reached; reached &= reached - 1) {
      uint32_t v = word * 64 + static_cast<uint32_t>(__builtin_ctzll(reached));
      search.parent[v] = static_cast<uint32_t>(comm_graph_global(&graph, search.parent[v]));
    }
  }
  return awake;
}

} // namespace

Values<uint32_t> bfs(const comm_graph_view &graph, int64_t source) {
  const uint32_t owned = graph.owned;
  const size_t words = (static_cast<size_t>(owned) + graph.ghosts) / 64 + 1;
  Search search{graph, Values<uint32_t>(owned), std::vector<uint64_t>(words), {}, {}, {}, {}};
  std::fill_n(search.parent.data, owned, UINT32_MAX);
  Lists lists(graph.reduce, sizeof(Record));
  const int64_t meanDegree = graph.edges / (graph.vertices + 1) + 1;
  int64_t unexplored = graph.edges, size = 1;
  if (int64_t local = comm_graph_local(&graph, source); local >= 0)
    search.reach(static_cast<uint32_t>(local), static_cast<uint32_t>(source));
  comm_reduce_votes votes = {};
  votes.sum[0] = search.scout;
  CHECK(comm_reduce_vote(graph.reduce, &votes));
  int64_t scout = votes.sum[0];
  while (size) {
    search.queue.swap(search.grown);
    search.grown.clear();
    if (scout > unexplored / Alpha) {
      search.front.assign(words, 0);
      search.next.resize(words);
      for (uint32_t u : search.queue)
        Search::add(search.front, u);
      CHECK(comm_copies_refresh_bits(graph.copies, search.front.data(), nullptr));
      for (size_t word = owned / 64; word < words; ++word)
        search.seen[word] |= search.front[word];
      int64_t awake = size, before;
      do {
        before = awake;
        votes = {};
        votes.sum[0] = pull(search);
        CHECK(comm_copies_refresh_bits(graph.copies, search.next.data(), &votes));
        awake = votes.sum[0];
        search.front.swap(search.next);
        // Mark the ghosts that were reached, so that no later push sends to them.
        for (size_t word = owned / 64; word < words; ++word)
          search.seen[word] |= search.front[word];
      } while (awake >= before || awake > graph.vertices / Beta);
      search.grown.clear();
      for (uint32_t word = 0; word * 64 < owned; ++word)
        for (uint64_t left = search.front[word]; left; left &= left - 1) {
          uint32_t v = word * 64 + static_cast<uint32_t>(__builtin_ctzll(left));
          if (v < owned)
            search.grown.push_back(v);
        }
      scout = 1;
      size = awake;
      continue;
    }
    unexplored -= scout;
    search.scout = 0;
    int64_t sent = push(search, lists);
    // Use one exchange per level: sent vertices count as reached, with an average number of edges. At worst the last
    // level is empty.
    votes = {};
    votes.sum[0] = search.scout + sent * meanDegree;
    votes.sum[1] = static_cast<int64_t>(search.grown.size()) + sent;
    CHECK(comm_reduce_deliver(lists.lists, hear, &search, &votes));
    scout = votes.sum[0];
    size = votes.sum[1];
  }
  return std::move(search.parent);
}
