// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortest paths in the order of distance: delta stepping (Meyer and Sanders, 2003). In a pulse each
// process empties the common bucket, including vertices that fall into it again (a local fixed point).
// Distances of ghosts are minima of what this process found; each is sent once, at the end of the
// pulse.
#include "prototype.h"

#include <algorithm>
#include <climits>
#include <cstdio>

namespace {

constexpr size_t Slots = 1024;

/* Buckets of vertices by distance / delta. Those far ahead are in a separate list. */
struct Buckets {
  int32_t delta;
  int64_t current = 0;
  std::vector<uint32_t> slot[Slots], later;

  void add(uint32_t v, int32_t distance) {
    int64_t bucket = distance / delta;
    if (bucket < current + static_cast<int64_t>(Slots))
      slot[static_cast<size_t>(std::max(bucket, current)) % Slots].push_back(v);
    else
      later.push_back(v);
  }
  /* Returns the first bucket with vertices, starting at the current one, or INT64_MAX. */
  int64_t first(const int32_t *distance) {
    for (int64_t bucket = current; bucket < current + static_cast<int64_t>(Slots); ++bucket)
      if (!slot[static_cast<size_t>(bucket) % Slots].empty())
        return bucket;
    int64_t least = INT64_MAX;
    for (uint32_t v : later)
      least = std::min<int64_t>(least, distance[v] / delta);
    return least;
  }
  void moveTo(int64_t bucket, const int32_t *distance) {
    current = bucket;
    if (later.empty())
      return;
    std::vector<uint32_t> waiting;
    waiting.swap(later);
    for (uint32_t v : waiting)
      add(v, distance[v]);
  }
};

struct Search {
  Values<int32_t> distance, relaxed; // of owned vertices and ghosts; of owned ones when their edges were last visited
  Buckets buckets;
};

struct Record {
  uint32_t index;
  int32_t distance;
};

void hear(void *context, int, const void *records, size_t count) {
  auto &search = *static_cast<Search *>(context);
  const auto *from = static_cast<const Record *>(records);
  for (size_t i = 0; i < count; ++i)
    if (from[i].distance < search.distance[from[i].index]) {
      search.distance[from[i].index] = from[i].distance;
      search.buckets.add(from[i].index, from[i].distance);
    }
}

} // namespace

Values<int32_t> sssp(const comm_graph_view &graph, int64_t source, int32_t delta) {
  const uint32_t owned = graph.owned, all = owned + graph.ghosts;
  const int64_t *offsets = graph.out.offsets;
  const uint32_t *neighbors = graph.out.neighbors;
  const int32_t *weights = graph.out.weights;
  Search search{Values<int32_t>(all), Values<int32_t>(owned), {delta, 0, {}, {}}};
  int32_t *distance = search.distance.data;
  Buckets &buckets = search.buckets;
  std::fill_n(distance, all, INT32_MAX);
  std::fill_n(search.relaxed.data, owned, INT32_MAX);
  std::vector<uint64_t> isTouched(graph.ghosts / 64 + 1);
  std::vector<uint32_t> touched, batch;
  Lists lists(graph.reduce, sizeof(Record));
  if (int64_t local = comm_graph_local(&graph, source); local >= 0) {
    distance[local] = 0;
    buckets.add(static_cast<uint32_t>(local), 0);
  }
  for (int64_t bucket = 0; bucket != INT64_MAX;) {
    buckets.moveTo(bucket, distance);
    std::vector<uint32_t> &slot = buckets.slot[static_cast<size_t>(bucket) % Slots];
    while (!slot.empty()) {
      batch.swap(slot);
      for (uint32_t u : batch) {
        int32_t near = distance[u];
        if (near >= search.relaxed[u])
          continue;
        search.relaxed[u] = near;
        for (int64_t e = offsets[u]; e < offsets[u + 1]; ++e) {
          uint32_t v = neighbors[e];
          int32_t far = near + weights[e];
          if (far >= distance[v])
            continue;
          distance[v] = far;
          if (v < owned) {
            buckets.add(v, far);
            continue;
          }
          uint64_t &word = isTouched[(v - owned) / 64], bit = uint64_t(1) << ((v - owned) % 64);
          if (!(word & bit)) {
            word |= bit;
            touched.push_back(v);
          }
        }
      }
      batch.clear();
    }
    // Sent values take part in the choice of the next bucket, so one exchange is enough.
    comm_reduce_votes votes = {};
    votes.min[0] = buckets.first(distance);
    for (uint32_t v : touched) {
      isTouched[(v - owned) / 64] = 0;
      votes.min[0] = std::min<int64_t>(votes.min[0], distance[v] / delta);
      *static_cast<Record *>(comm_reduce_append(lists.lists, comm_graph_owner(&graph, v))) = {
          graph.ghost_index[v - owned], distance[v]};
    }
    touched.clear();
    CHECK(comm_reduce_deliver(lists.lists, hear, &search, &votes));
    bucket = votes.min[0];
  }
  return std::move(search.distance);
}
