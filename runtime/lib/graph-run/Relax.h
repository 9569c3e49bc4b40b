// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of fixed points that can be computed in any order.
#ifndef COMM_RUNTIME_GRAPH_RUN_RELAX_H
#define COMM_RUNTIME_GRAPH_RUN_RELAX_H

#include "Run.h"

#include <algorithm>

namespace comm::graphrun {

/* Vertices by the bucket of their value. Those far ahead are in a separate list. */
class Buckets {
public:
  static constexpr int64_t None = INT64_MAX;

  void add(uint32_t vertex, int64_t bucket) {
    if (bucket - current < Slots)
      slots[static_cast<size_t>(bucket < current ? current : bucket) % Slots].push_back(vertex);
    else
      later.push_back(vertex);
    ++waiting;
  }
  std::vector<uint32_t> &front() { return slots[static_cast<size_t>(current) % Slots]; }
  /* Returns the first bucket that has vertices. Calls `bucketOf` for those far ahead. */
  template <typename Function> int64_t first(Function bucketOf) const {
    if (!waiting)
      return None;
    for (int64_t bucket = current; bucket < current + Slots; ++bucket)
      if (!slots[static_cast<size_t>(bucket) % Slots].empty())
        return bucket;
    int64_t least = None;
    for (uint32_t vertex : later)
      least = std::min(least, bucketOf(vertex));
    return least;
  }
  template <typename Function> void moveTo(int64_t bucket, Function bucketOf) {
    std::vector<uint32_t> before;
    // When moving back, vertices from before the first bucket were added to it and must move to their own buckets.
    if (bucket < current)
      for (auto &slot : slots) {
        before.insert(before.end(), slot.begin(), slot.end());
        slot.clear();
      }
    current = bucket;
    before.insert(before.end(), later.begin(), later.end());
    later.clear();
    waiting -= static_cast<int64_t>(before.size());
    for (uint32_t vertex : before)
      add(vertex, bucketOf(vertex));
  }
  void clear() {
    for (auto &slot : slots)
      slot.clear();
    later.clear();
    waiting = 0;
    current = 0;
  }

  int64_t current = 0, waiting = 0; // number of entries, some of them outdated

private:
  static constexpr int64_t Slots = 1024;
  std::vector<uint32_t> slots[Slots], later;
};

struct Relaxation : comm_graph_relaxation {
  comm_graph_run *run = nullptr;
  int flags = 0;
  Values *values = nullptr, *active = nullptr;
  std::vector<Values *> companions;
  comm_reduce_lists *lists = nullptr;
  size_t recordBytes = 0;

  Array<int64_t> keys; // with rounds
  Array<uint8_t> marked;
  Array<uint32_t> improvedMemory;
  Array<uint32_t> parent, label;                // of joined vertices; kept, since new pages take time
  std::vector<uint32_t> touched, batch;         // touched: ghosts that improved in this pulse
  std::vector<uint64_t> isTouched, front, next; // bits
  Buckets buckets;
  // Values in a bucket differ only in the lower `shift` bits or, for floating-point numbers, by less than 1 / `scale`.
  int shift = 0;
  double scale = 1;
  bool has(int flag) const { return flags & flag; }
  size_t keyBytes() const { return has(COMM_GRAPH_RELAX_ROUNDS) ? 8 : sizeOf(values->type); }
};

/* Computes connected components if each vertex starts with its own number: all vertices of a component get its least
 * number. Returns false if the graph or the values do not have this form. Collective. */
bool joinCopies(Relaxation &relaxation);

} // namespace comm::graphrun

#endif
