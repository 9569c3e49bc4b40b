// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the triangles of an undirected graph. Vertices are ordered by their degrees. Each triangle is found at the
// edge from its first to its second vertex, by the owner of the second, as a third vertex that follows both. A vertex
// has few followers, because a vertex of high degree has few neighbors of higher degree. The followers of the first
// vertex are marked in a table of bits, and those of the second are looked up there.
#include "Run.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

using namespace comm::graphrun;

namespace {

/* Maximum number of values to send before a delivery, which bounds the memory. */
constexpr int64_t MostNumbers = int64_t(1) << 20;
/* Size of the table: 2 MiB. Vertices of larger graphs share bits. For tests, COMM_GRAPH_TRIANGLE_BITS sets another
 * size, a power of two from 64 on. */
int64_t mostBits() {
  const char *given = getenv("COMM_GRAPH_TRIANGLE_BITS");
  return given ? std::max<int64_t>(64, strtoll(given, nullptr, 10)) : int64_t(1) << 24;
}

#if defined(__x86_64__) && defined(__gnu_linux__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
int64_t countMarked(const uint32_t *table, uint32_t mask, const uint32_t *each, const uint32_t *stop) {
  uint32_t found = 0;
  for (; each != stop; ++each)
    found += table[(*each & mask) / 32] >> (*each % 32) & 1;
  return found;
}

using Four = uint32_t __attribute__((vector_size(16)));

class Counter {
public:
  Counter(comm_graph_run *run, Followers &followers)
      : run(run), graph(run->topology), view(run->view), followers(followers), most(mostBits()),
        isExact(graph.vertices <= most) {}

  int64_t count() {
    find();
    int64_t size = 64;
    while (size < graph.vertices && size < most)
      size *= 2;
    mask = static_cast<uint32_t>(size - 1);
    bits.assign(static_cast<size_t>(size) / 32, 0);
    comm_reduce_lists *lists;
    check(run, comm_reduce_lists_create(view.reduce, 4, &lists), "comm_reduce_lists_create");
    int64_t next = 0;
    comm_reduce_votes votes = {};
    do {
      sent = 0;
      for (; next < graph.owned && sent < MostNumbers; ++next)
        visit(next, lists);
      votes = {};
      votes.sum[0] = next < graph.owned;
      check(run, comm_reduce_deliver(lists, hear, this, &votes), "comm_reduce_deliver");
    } while (votes.sum[0]);
    comm_reduce_lists_free(&lists);
    return total;
  }

private:
  /* Finds the followers of each owned vertex: neighbors with more edges, or equally many and a greater number,
   * ascending. */
  void find() {
    const auto *degrees = static_cast<const int64_t *>(comm_graph_run_degrees(run, 0)->data);
    const auto locals = static_cast<size_t>(graph.owned + graph.ghosts);
    followers.keys.resize(locals);
    uint64_t *keys = followers.keys.data();
    // A vertex has fewer than 2^32 neighbors.
    for (size_t v = 0; v < locals; ++v)
      keys[v] = static_cast<uint64_t>(degrees[v]) << 32 | graph.globals[v];
    followers.offsets.resize(static_cast<size_t>(graph.owned) + 1);
    int64_t size = 0;
    auto scan = [&](auto take) {
      int64_t *offsets = followers.offsets.data();
      for (int64_t v = 0; v < graph.owned; ++v) {
        uint64_t own = keys[v];
        offsets[v] = size;
        for (int64_t e = graph.out_offsets[v]; e < graph.out_offsets[v + 1]; ++e) {
          uint64_t key = keys[graph.out_neighbors[e]];
          take(static_cast<uint32_t>(key));
          size += key > own;
        }
      }
      offsets[graph.owned] = size;
    };
    // An edge belongs to one of its ends: a process may have more than half of its own.
    if (followers.vertices.empty()) {
      scan([](uint32_t) {});
      followers.vertices.resize(static_cast<size_t>(size) + 1);
      size = 0;
    }
    uint32_t *vertices = followers.vertices.data();
    scan([&](uint32_t global) { vertices[size] = global; });
  }

  const uint32_t *begin(int64_t v) const {
    return followers.vertices.data() + followers.offsets[static_cast<size_t>(v)];
  }
  const uint32_t *end(int64_t v) const { return begin(v + 1); }

  /* Counts triangles of an owned vertex and other vertices of this process, and sends its followers to other owners. */
  void visit(int64_t v, comm_reduce_lists *lists) {
    const uint32_t *first = begin(v), *last = end(v);
    if (last - first < 2)
      return;
    const int64_t end = graph.first + graph.owned;
    if (*first >= graph.first && last[-1] < end)
      return close(first, last, first, last);
    close(first, last);
    for (const uint32_t *at = first; at != last;) {
      // All are owned vertices or ghosts, and ascend, so those of one owner are adjacent.
      bool isOwned = run->owns(*at);
      int partner = isOwned ? -1 : comm_graph_partner(&view, static_cast<uint32_t>(run->toLocal(*at)));
      at = std::upper_bound(at, last, isOwned ? end - 1 : run->globals[view.partner_ghosts[partner + 1] - 1]);
      if (isOwned)
        continue;
      int owner = view.partner_ranks[partner];
      auto size = static_cast<uint32_t>(last - first);
      append(lists, owner, size);
      for (const uint32_t *each = first; each != last; ++each)
        append(lists, owner, *each);
      sent += size + 1;
    }
  }
  static void append(comm_reduce_lists *lists, int owner, uint32_t number) {
    memcpy(comm_reduce_append(lists, owner), &number, 4);
  }

  /* Counts triangles of a vertex with these followers, an owned one among them, and a follower of that one. */
  void close(const uint32_t *first, const uint32_t *last) {
    auto isBefore = [](uint32_t a, int64_t b) { return static_cast<int64_t>(a) < b; };
    const uint32_t *from = std::lower_bound(first, last, graph.first, isBefore);
    close(first, last, from, std::lower_bound(from, last, graph.first + graph.owned, isBefore));
  }
  /* The same, if the owned ones are known. */
  void close(const uint32_t *first, const uint32_t *last, const uint32_t *from, const uint32_t *to) {
    if (last - first <= 4) {
      // Comparing directly costs less than marking. No vertex has the greatest number.
      Four wanted = {first[0], first[1], UINT32_MAX, UINT32_MAX}, found = {};
      for (int i = 2; i < last - first; ++i)
        wanted[i] = first[i];
      for (; from != to; ++from) {
        int64_t local = *from - graph.first;
        // Equal elements give all bits set, which is -1.
        for (const uint32_t *each = begin(local), *stop = end(local); each != stop; ++each)
          found -= reinterpret_cast<Four>(wanted == (Four{} + *each));
      }
      for (int i = 0; i < 4; ++i)
        total += found[i];
      return;
    }
    if (from == to)
      return;
    uint32_t *table = bits.data();
    for (const uint32_t *each = first; each != last; ++each)
      table[(*each & mask) / 32] |= uint32_t(1) << (*each % 32);
    for (; from != to; ++from) {
      int64_t local = *from - graph.first;
      if (isExact)
        total += countMarked(table, mask, begin(local), end(local));
      else
        for (const uint32_t *each = begin(local); each != end(local); ++each)
          total += (table[(*each & mask) / 32] >> (*each % 32) & 1) && std::binary_search(first, last, *each);
    }
    for (const uint32_t *each = first; each != last; ++each)
      table[(*each & mask) / 32] = 0;
  }

  /* Receives lists of followers, each preceded by its length. A list may come in several pieces. */
  static void hear(void *context, int source, const void *records, size_t count) {
    auto &counter = *static_cast<Counter *>(context);
    List &list = counter.received[source];
    const auto *numbers = static_cast<const uint32_t *>(records);
    for (size_t i = 0; i < count;) {
      if (!list.missing) {
        list.missing = numbers[i++];
        list.vertices.clear();
        continue;
      }
      size_t there = std::min(list.missing, count - i);
      const uint32_t *from = numbers + i;
      i += there;
      list.missing -= there;
      if (!list.missing && list.vertices.empty()) {
        counter.close(from, from + there);
        continue;
      }
      list.vertices.insert(list.vertices.end(), from, from + there);
      if (!list.missing)
        counter.close(list.vertices.data(), list.vertices.data() + list.vertices.size());
    }
  }

  struct List {
    size_t missing = 0;
    std::vector<uint32_t> vertices;
  };

  comm_graph_run *run;
  const comm_graph_topology &graph;
  const comm_graph_view &view;
  Followers &followers;
  int64_t most;
  bool isExact;
  uint32_t mask = 0;
  std::vector<uint32_t> bits;
  std::unordered_map<int, List> received; // by process
  int64_t sent = 0, total = 0;
};

} // namespace

int comm_graph_run_is_symmetric(const comm_graph_run *run) { return run->view.is_symmetric; }

int64_t comm_graph_run_triangles(comm_graph_run *run) { return Counter(run, run->followers).count(); }
