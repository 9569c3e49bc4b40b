// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connected components: the fixed point of "the least number of my neighbors", where each vertex starts with its own
// number and edges lead both ways, is the least number of the component. Each process joins the vertices that its edges
// connect (a union-find over owned vertices and ghosts) and exchanges numbers at the border. As in Afforest (Sutton,
// Ben-Nun and Barak, IPDPS 2018), it first follows two edges of each vertex. Vertices of the resulting large component
// need no further edges: an edge to any other vertex is followed from its other end.
#include "Relax.h"

#include <algorithm>

using namespace comm::graphrun;

namespace {

/* Trees of owned vertices and ghosts. A root is the least local id of its tree. */
struct Forest {
  uint32_t *parent;
  uint32_t count;
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
  /* Parents precede their children, so the parent of a vertex already points to its root. */
  void compress() {
    for (uint32_t v = 0; v < count; ++v)
      parent[v] = parent[parent[v]];
  }
};

struct Lists {
  comm_reduce_lists *lists = nullptr;
  Lists(comm_graph_run *run, size_t bytes) {
    check(run, comm_reduce_lists_create(run->view.reduce, bytes, &lists), "comm_reduce_lists_create");
  }
  Lists(const Lists &) = delete;
  ~Lists() { comm_reduce_lists_free(&lists); }
};

/* Owners and copies of each border vertex exchange labels until nothing changes. label[root] is the label of a tree.
 * Neither end repeats a label that it has sent or received. */
class Border {
public:
  Border(comm_graph_run *run, Forest &forest, Array<uint32_t> &label)
      : run(run), graph(run->view), forest(forest), label(label), lists(run, sizeof(Record)),
        known(graph.ghosts, UINT32_MAX) {
    forEachLent(graph, [&](int p, const uint32_t *places, int64_t count) {
      lent.push_back({p, places, count, std::vector<uint32_t>(static_cast<size_t>(count), UINT32_MAX)});
    });
  }
  void agree() {
    for (int64_t sent = 1; sent;)
      sent = exchange(tellOwners(), hearAsOwner) + exchange(tellCopies(), hearAsCopy);
  }

private:
  struct Record {
    uint32_t index, label;
  };
  struct Lent {
    int rank;
    const uint32_t *places;
    int64_t count;
    std::vector<uint32_t> known;
  };
  int64_t exchange(int64_t sent, comm_reduce_receiver *receive) {
    comm_reduce_votes votes = {};
    votes.sum[0] = sent;
    check(run, comm_reduce_deliver(lists.lists, receive, this, &votes), "comm_reduce_deliver");
    return votes.sum[0];
  }
  /* Returns true and updates `isKnown` if a tree has a label that the other end does not know. */
  bool tell(int p, uint32_t index, uint32_t vertex, uint32_t &isKnown) {
    uint32_t mine = label[forest.parent[vertex]];
    if (mine >= isKnown)
      return false;
    isKnown = mine;
    *static_cast<Record *>(comm_reduce_append(lists.lists, p)) = {index, mine};
    return true;
  }
  int64_t tellOwners() {
    int64_t sent = 0;
    for (int p = 0; p < graph.partners; ++p)
      for (uint32_t ghost = graph.partner_ghosts[p]; ghost < graph.partner_ghosts[p + 1]; ++ghost)
        sent += tell(graph.partner_ranks[p], graph.ghost_index[ghost - graph.owned], ghost, known[ghost - graph.owned]);
    return sent;
  }
  int64_t tellCopies() {
    int64_t sent = 0;
    for (Lent &one : lent) {
      for (int64_t i = 0; i < one.count; ++i)
        sent += tell(one.rank, static_cast<uint32_t>(i), one.places[i], one.known[static_cast<size_t>(i)]);
    }
    return sent;
  }
  void hear(uint32_t vertex, uint32_t heard) {
    uint32_t &mine = label[forest.parent[vertex]];
    mine = std::min(mine, heard);
  }
  static void hearAsOwner(void *context, int, const void *records, size_t count) {
    auto &border = *static_cast<Border *>(context);
    const auto *from = static_cast<const Record *>(records);
    for (size_t i = 0; i < count; ++i)
      border.hear(from[i].index, from[i].label);
  }
  static void hearAsCopy(void *context, int source, const void *records, size_t count) {
    auto &border = *static_cast<Border *>(context);
    const auto *from = static_cast<const Record *>(records);
    uint32_t first = border.graph.partner_ghosts[comm_graph_find_partner(&border.graph, source)];
    for (size_t i = 0; i < count; ++i) {
      uint32_t ghost = first + from[i].index;
      border.hear(ghost, from[i].label);
      border.known[ghost - border.graph.owned] = from[i].label;
    }
  }

  comm_graph_run *run;
  const comm_graph_view &graph;
  Forest &forest;
  Array<uint32_t> &label;
  Lists lists;
  std::vector<uint32_t> known; // the labels of ghosts here that their owners know
  std::vector<Lent> lent;
};

/* Joins along two edges of each vertex, including some of the last ones. Prefetches the data that the loop reads
 * next. */
void joinFew(const comm_graph_topology &graph, Forest &forest) {
  const int64_t *offsets = graph.out_offsets;
  const uint32_t *neighbors = graph.out_neighbors;
  constexpr int64_t far = 32, near = 16;
  for (int64_t v = 0; v < graph.owned; ++v) {
    int64_t begin = offsets[v], end = offsets[v + 1];
    if (v + far < graph.owned) {
      __builtin_prefetch(&neighbors[offsets[v + far]]);
      int64_t soon = offsets[v + near];
      if (soon + 1 < offsets[graph.owned]) {
        __builtin_prefetch(&forest.parent[neighbors[soon]]);
        __builtin_prefetch(&forest.parent[neighbors[soon + 1]]);
      }
    }
    for (int64_t e = begin; e < std::min(end, begin + 2); ++e)
      forest.join(static_cast<uint32_t>(v), neighbors[e]);
    if (v % 16 == 0 && end - begin > 2)
      forest.join(static_cast<uint32_t>(v), neighbors[end - 1]);
  }
}

/* Returns the most frequent label of a sample. Any label is correct if all processes agree on it. */
uint32_t frequentLabel(comm_graph_run *run, const Forest &forest, const Array<uint32_t> &label) {
  const comm_graph_view &graph = run->view;
  uint32_t sample[64], samples = std::min<uint32_t>(graph.owned, 64), most = UINT32_MAX;
  for (uint32_t i = 0; i < samples; ++i)
    sample[i] = label[forest.parent[static_cast<uint64_t>(i) * graph.owned / samples]];
  std::sort(sample, sample + samples);
  for (uint32_t i = 0, longest = 0, length = 0; i < samples; ++i) {
    length = i && sample[i] == sample[i - 1] ? length + 1 : 1;
    if (length > longest) {
      longest = length;
      most = sample[i];
    }
  }
  comm_reduce_votes votes = {};
  votes.min[0] = most;
  check(run, comm_reduce_vote(graph.reduce, &votes), "comm_reduce_vote");
  return static_cast<uint32_t>(votes.min[0]);
}

/* Computes the labels; those of owned vertices come first. */
void join(comm_graph_run *run, Array<uint32_t> &parent, Array<uint32_t> &label) {
  const comm_graph_topology &graph = run->topology;
  auto owned = static_cast<uint32_t>(graph.owned), all = owned + static_cast<uint32_t>(graph.ghosts);
  parent.resize(all);
  Forest forest{parent.data(), all};
  for (uint32_t v = 0; v < all; ++v)
    forest.parent[v] = v;
  joinFew(graph, forest);
  forest.compress();
  // The label of a tree is its least number.
  label.assign(all, UINT32_MAX);
  auto lower = [&](uint32_t v, uint32_t to) {
    uint32_t &least = label[forest.parent[v]];
    least = std::min(least, to);
  };
  for (uint32_t v = 0; v < all; ++v)
    lower(v, graph.globals[v]);
  Border border(run, forest, label);
  border.agree();

  const uint32_t most = frequentLabel(run, forest, label);
  forest.joined = 0;
  for (uint32_t v = 0; v < owned; ++v) {
    // Compare the label of the former root, which may be in another tree by now.
    if (label[forest.parent[v]] == most)
      continue;
    for (int64_t e = graph.out_offsets[v] + 2; e < graph.out_offsets[v + 1]; ++e)
      forest.join(v, graph.out_neighbors[e]);
  }
  comm_reduce_votes votes = {};
  votes.sum[0] = forest.joined;
  check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
  if (votes.sum[0]) {
    forest.compress();
    // Joined trees get the least of their labels.
    for (uint32_t v = 0; v < all; ++v)
      lower(v, label[v]);
    border.agree();
  }
  for (uint32_t v = owned; v-- > 0;)
    label[v] = label[forest.parent[v]];
}

template <typename T> bool hasNumbers(const Values &values, const comm_graph_topology &graph) {
  const T *data = static_cast<const T *>(values.data);
  for (int64_t v = 0; v < graph.owned; ++v)
    if (static_cast<int64_t>(data[v]) != graph.first + v)
      return false;
  return true;
}

template <typename T> void take(const Values &values, const Array<uint32_t> &label) {
  std::copy_n(label.begin(), values.owned, static_cast<T *>(values.data));
}

} // namespace

bool comm::graphrun::joinCopies(Relaxation &relaxation) {
  comm_graph_run *run = relaxation.run;
  const Values &values = *relaxation.values, &active = *relaxation.active;
  bool isShort = values.type == COMM_GRAPH_INT32;
  bool isGood = run->view.is_symmetric && !memchr(active.data, 0, static_cast<size_t>(active.owned)) &&
                (isShort ? hasNumbers<int32_t>(values, run->topology) : hasNumbers<int64_t>(values, run->topology));
  comm_reduce_votes votes = {};
  votes.min[0] = isGood;
  check(run, comm_reduce_vote(run->view.reduce, &votes), "comm_reduce_vote");
  if (!votes.min[0])
    return false;
  Array<uint32_t> &label = relaxation.label;
  join(run, relaxation.parent, label);
  isShort ? take<int32_t>(values, label) : take<int64_t>(values, label);
  return true;
}
