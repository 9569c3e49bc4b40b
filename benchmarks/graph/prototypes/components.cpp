// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connected components of a symmetric graph: the fixed point of "my label is the smallest of
// my neighbors' labels". Since edges do not change labels, each process joins the vertices
// that its edges connect (a union-find over owned vertices and ghosts) and exchanges labels
// only at the border. As in Afforest (Sutton, Ben-Nun and Barak, IPDPS 2018), it first
// follows two edges of each vertex. Once those have made one large component across all
// processes, its vertices need no further edges: an edge to any other vertex is followed from
// its other end.
#include "prototype.h"

#include <algorithm>
#include <cstdio>

namespace {

struct Forest {
  Values<uint32_t> parent; // of owned vertices and ghosts; a root is the smallest local id of its tree

  int64_t joined = 0;

  void join(uint32_t a, uint32_t b) {
    uint32_t p = parent[a], q = parent[b];
    while (p != q) {
      uint32_t high = std::max(p, q), low = std::min(p, q), next = parent[high];
      if (next == high) {
        parent[high] = low;
        ++joined;
        return;
      }
      p = parent[next];
      q = low;
      if (next == low)
        return;
    }
  }
  void compress(uint32_t count) {
    for (uint32_t v = 0; v < count; ++v) {
      uint32_t p = parent[v];
      // Smaller ids were done before, so their parents are roots.
      parent[v] = parent[p];
    }
  }
};

/*
 * Sets the labels of all trees to the smallest of those that border edges
 * join: label[root] is the label of the whole tree. Owners and copies of each
 * border vertex exchange labels until nothing changes. Neither end repeats a
 * label that it has sent or received.
 */
class Border {
public:
  Border(const comm_graph_view &graph, Forest &forest, Values<uint32_t> &label)
      : graph(graph), forest(forest), label(label), lists(graph.reduce, sizeof(Record)), known(graph.ghosts),
        lent(static_cast<size_t>(graph.processes)) {
    std::fill_n(known.data, graph.ghosts, UINT32_MAX);
    for (int p = 0; p < graph.processes; ++p) {
      Lent &one = lent[static_cast<size_t>(p)];
      CHECK(comm_copies_lent(graph.copies, p, &one.places, &one.count));
      one.known.assign(static_cast<size_t>(one.count), UINT32_MAX);
    }
  }
  void agree() {
    for (int64_t sent = 1; sent;) {
      comm_reduce_votes votes = {};
      votes.sum[0] = tellOwners();
      CHECK(comm_reduce_deliver(lists.lists, hearAsOwner, this, &votes));
      sent = votes.sum[0];
      votes = {};
      votes.sum[0] = tellCopies();
      CHECK(comm_reduce_deliver(lists.lists, hearAsCopy, this, &votes));
      sent += votes.sum[0];
    }
  }

private:
  struct Record {
    uint32_t index, label;
  };
  struct Lent {
    const uint32_t *places;
    int64_t count;
    std::vector<uint32_t> known;
  };
  int64_t tellOwners() {
    int64_t sent = 0;
    for (int p = 0; p < graph.partners; ++p)
      for (uint32_t ghost = graph.partner_ghosts[p]; ghost < graph.partner_ghosts[p + 1]; ++ghost) {
        uint32_t i = ghost - graph.owned, mine = label[forest.parent[ghost]];
        if (mine >= known[i])
          continue;
        known[i] = mine;
        *static_cast<Record *>(comm_reduce_append(lists.lists, graph.partner_ranks[p])) = {graph.ghost_index[i], mine};
        ++sent;
      }
    return sent;
  }
  int64_t tellCopies() {
    int64_t sent = 0;
    for (int p = 0; p < graph.processes; ++p) {
      Lent &one = lent[static_cast<size_t>(p)];
      for (uint32_t i = 0; i < static_cast<uint32_t>(one.count); ++i) {
        uint32_t mine = label[forest.parent[one.places[i]]];
        if (mine >= one.known[i])
          continue;
        one.known[i] = mine;
        *static_cast<Record *>(comm_reduce_append(lists.lists, p)) = {i, mine};
        ++sent;
      }
    }
    return sent;
  }
  static void hearAsOwner(void *context, int, const void *records, size_t count) {
    auto &border = *static_cast<Border *>(context);
    const auto *from = static_cast<const Record *>(records);
    uint32_t *label = border.label.data, *parent = border.forest.parent.data;
    for (size_t i = 0; i < count; ++i)
      label[parent[from[i].index]] = std::min(label[parent[from[i].index]], from[i].label);
  }
  static void hearAsCopy(void *context, int source, const void *records, size_t count) {
    auto &border = *static_cast<Border *>(context);
    const auto *from = static_cast<const Record *>(records);
    uint32_t owned = border.graph.owned;
    uint32_t first = border.graph.partner_ghosts[comm_graph_find_partner(&border.graph, source)];
    uint32_t *label = border.label.data, *parent = border.forest.parent.data;
    for (size_t i = 0; i < count; ++i) {
      uint32_t ghost = first + from[i].index, root = parent[ghost];
      label[root] = std::min(label[root], from[i].label);
      border.known[ghost - owned] = from[i].label;
    }
  }

  const comm_graph_view &graph;
  Forest &forest;
  Values<uint32_t> &label;
  Lists lists;
  Values<uint32_t> known; // the labels of ghosts here that their owners know
  std::vector<Lent> lent;
};

/* Returns the most frequent label of a sample. */
uint32_t frequentLabel(const comm_graph_view &graph, const Forest &forest, const Values<uint32_t> &label) {
  uint32_t sample[64], samples = std::min<uint32_t>(graph.owned, 64), most = UINT32_MAX;
  for (uint32_t i = 0; i < samples; ++i)
    sample[i] = label[forest.parent[static_cast<uint32_t>(static_cast<uint64_t>(i) * graph.owned / samples)]];
  std::sort(sample, sample + samples);
  for (uint32_t i = 0, longest = 0, length = 0; i < samples; ++i) {
    length = i && sample[i] == sample[i - 1] ? length + 1 : 1;
    if (length > longest) {
      longest = length;
      most = sample[i];
    }
  }
  comm_reduce_votes votes = {};
  votes.min[0] = most; // any label is correct if all processes agree on it
  CHECK(comm_reduce_vote(graph.reduce, &votes));
  return static_cast<uint32_t>(votes.min[0]);
}

} // namespace

Values<uint32_t> components(const comm_graph_view &graph) {
  const uint32_t owned = graph.owned, all = owned + graph.ghosts;
  const int64_t *offsets = graph.out.offsets;
  const uint32_t *neighbors = graph.out.neighbors;
  Forest forest{Values<uint32_t>(all)};
  Values<uint32_t> label(all);
  for (uint32_t v = 0; v < all; ++v)
    forest.parent[v] = v;
  // The first edges of each vertex are in a cache line of their own and lead anywhere, so prefetch what the loop reads
  // next.
  constexpr uint32_t far = 32, near = 16;
  for (uint32_t v = 0; v < owned; ++v) {
    int64_t begin = offsets[v], end = offsets[v + 1];
    if (v + far < owned) {
      __builtin_prefetch(&neighbors[offsets[v + far]]);
      int64_t soon = offsets[v + near];
      if (soon + 1 < offsets[owned]) {
        __builtin_prefetch(&forest.parent[neighbors[soon]]);
        __builtin_prefetch(&forest.parent[neighbors[soon + 1]]);
      }
    }
    for (int64_t e = begin; e < std::min(end, begin + 2); ++e)
      forest.join(v, neighbors[e]);
    // Owned neighbors come first; some of the last edges join the parts of the processes.
    if (v % 16 == 0 && end - begin > 2)
      forest.join(v, neighbors[end - 1]);
  }
  forest.compress(all);
  // The label of a tree is its smallest global id.
  for (uint32_t v = 0; v < owned; ++v)
    label[v] = forest.parent[v] == v ? static_cast<uint32_t>(graph.first) + v : UINT32_MAX;
  for (int p = 0; p < graph.partners; ++p)
    for (uint32_t ghost = graph.partner_ghosts[p]; ghost < graph.partner_ghosts[p + 1]; ++ghost) {
      label[ghost] = UINT32_MAX;
      uint32_t &least = label[forest.parent[ghost]];
      least = std::min(least, static_cast<uint32_t>(graph.partner_first[p]) + graph.ghost_index[ghost - owned]);
    }
  Border border(graph, forest, label);
  border.agree();

  const uint32_t most = frequentLabel(graph, forest, label);
  forest.joined = 0;
  for (uint32_t v = 0; v < owned; ++v) {
    // Compare the label of the former root, which may be in another tree by now.
    if (label[forest.parent[v]] == most)
      continue;
    for (int64_t e = offsets[v] + 2; e < offsets[v + 1]; ++e)
      forest.join(v, neighbors[e]);
  }
  comm_reduce_votes votes = {};
  votes.sum[0] = forest.joined;
  CHECK(comm_reduce_vote(graph.reduce, &votes));
  if (votes.sum[0]) {
    forest.compress(all);
    // Joined trees get the smallest of their labels.
    for (uint32_t v = 0; v < all; ++v) {
      uint32_t &least = label[forest.parent[v]];
      least = std::min(least, label[v]);
    }
    border.agree();
  }
  for (uint32_t v = owned; v-- > 0;)
    label[v] = label[forest.parent[v]];
  return label;
}
