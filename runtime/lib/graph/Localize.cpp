// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completes the arrays when all edges are there: order, duplicates, ghosts, local ids.
#include "Build.h"

#include <algorithm>
#include <cstring>

namespace comm::graph {

void tidy(Adjacency &adjacency, int64_t first, bool dropsDuplicates, bool dropsLoops, bool isReal) {
  if (!adjacency.offsets.data())
    return;
  int64_t *offsets = adjacency.offsets.data();
  uint32_t *neighbors = adjacency.neighbors.data(), *weights = adjacency.weights.data();
  auto isLighter = [isReal](uint32_t a, uint32_t b) {
    if (isReal) {
      float x, y;
      memcpy(&x, &a, 4);
      memcpy(&y, &b, 4);
      return x < y;
    }
    return static_cast<int32_t>(a) < static_cast<int32_t>(b);
  };
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  size_t owned = adjacency.offsets.size() - 1;
  int64_t kept = 0, begin = 0;
  for (size_t v = 0; v < owned; ++v) {
    int64_t end = offsets[v + 1];
    if (!std::is_sorted(neighbors + begin, neighbors + end) || (weights && dropsDuplicates)) {
      if (!weights) {
        std::sort(neighbors + begin, neighbors + end);
      } else {
        pairs.clear();
        for (int64_t e = begin; e < end; ++e)
          pairs.emplace_back(neighbors[e], weights[e]);
        // The lightest of parallel edges comes first and is the one that is kept.
        std::sort(pairs.begin(), pairs.end(), [&](const auto &a, const auto &b) {
          return a.first != b.first ? a.first < b.first : isLighter(a.second, b.second);
        });
        for (int64_t e = begin; e < end; ++e) {
          neighbors[e] = pairs[static_cast<size_t>(e - begin)].first;
          weights[e] = pairs[static_cast<size_t>(e - begin)].second;
        }
      }
    }
    int64_t start = kept;
    for (int64_t e = begin; e < end; ++e) {
      uint32_t to = neighbors[e];
      if ((dropsDuplicates && kept > start && neighbors[kept - 1] == to) ||
          (dropsLoops && to == first + static_cast<int64_t>(v)))
        continue;
      neighbors[kept] = to;
      if (weights)
        weights[kept] = weights[e];
      ++kept;
    }
    begin = end;
    offsets[v + 1] = kept;
  }
  if (static_cast<size_t>(kept) == adjacency.neighbors.size())
    return;
  adjacency.neighbors.shrink(static_cast<size_t>(kept));
  if (weights)
    adjacency.weights.shrink(static_cast<size_t>(kept));
}

namespace {

const char *const border = "the border";

// A set of global ids and the rank of each. Where ids are dense a bitset with counts, else a sorted list.
class IdSet {
public:
  bool make(Loading &loading, int64_t first, uint32_t owned, const Adjacency &out, const Adjacency &in) {
    int64_t vertices = loading.source->vertices;
    const Adjacency *both[] = {&out, &in};
    auto isForeign = [=](uint32_t id) { return id < first || id >= first + owned; };
    // Bits for all vertices are affordable if they are few per local edge.
    isDense_ = vertices <= 16 * (out.edges() + in.edges()) + 1024;
    if (isDense_) {
      auto words = static_cast<size_t>(vertices / 64 + 1);
      if (!loading.take(bits_, words, border) || !loading.take(before_, words, border))
        return false;
      for (const Adjacency *adjacency : both)
        for (size_t e = 0; e < static_cast<size_t>(adjacency->edges()); ++e) {
          uint32_t id = adjacency->neighbors[e];
          if (isForeign(id))
            bits_[id / 64] |= uint64_t(1) << (id % 64);
        }
      for (size_t word = 0; word < words; ++word) {
        before_[word] = static_cast<uint32_t>(count_);
        count_ += static_cast<size_t>(__builtin_popcountll(bits_[word]));
      }
      return true;
    }
    auto total = static_cast<size_t>(out.edges() + in.edges());
    if (!loading.take(list_, total, border))
      return false;
    for (const Adjacency *adjacency : both)
      for (size_t e = 0; e < static_cast<size_t>(adjacency->edges()); ++e)
        if (isForeign(adjacency->neighbors[e]))
          list_[count_++] = adjacency->neighbors[e];
    std::sort(list_.data(), list_.data() + count_);
    count_ = static_cast<size_t>(std::unique(list_.data(), list_.data() + count_) - list_.data());
    list_.shrink(count_);
    return true;
  }
  size_t count() const { return count_; }
  uint32_t rank(uint32_t id) const {
    if (isDense_)
      return before_[id / 64] +
             static_cast<uint32_t>(__builtin_popcountll(bits_[id / 64] & ((uint64_t(1) << (id % 64)) - 1)));
    return static_cast<uint32_t>(std::lower_bound(list_.data(), list_.data() + count_, id) - list_.data());
  }
  template <typename Use> void forEach(Use use) const {
    for (size_t i = 0; i < list_.size(); ++i)
      use(list_[i]);
    for (size_t word = 0; word < bits_.size(); ++word)
      for (uint64_t left = bits_[word]; left; left &= left - 1)
        use(static_cast<uint32_t>(word * 64 + static_cast<size_t>(__builtin_ctzll(left))));
  }

private:
  bool isDense_ = false;
  size_t count_ = 0;
  Array<uint64_t> bits_;
  Array<uint32_t> before_, list_;
};

// Neighbors ascend by global id. Unless that order is to be kept, those before the owned ones move to the end, so that
// all ascend by local id.
void rename(Adjacency &adjacency, int64_t first, uint32_t owned, const IdSet &ghosts, bool keepsOrder) {
  uint32_t *neighbors = adjacency.neighbors.data(), *weights = adjacency.weights.data();
  for (size_t v = 0; v < owned && adjacency.offsets.data(); ++v) {
    auto begin = static_cast<size_t>(adjacency.offsets[v]), end = static_cast<size_t>(adjacency.offsets[v + 1]);
    auto lower = static_cast<size_t>(std::lower_bound(neighbors + begin, neighbors + end, first) - neighbors);
    auto upper = static_cast<size_t>(std::lower_bound(neighbors + lower, neighbors + end, first + owned) - neighbors);
    for (size_t e = begin; e < end; ++e) {
      uint32_t id = neighbors[e];
      bool isOwned = e >= lower && e < upper;
      neighbors[e] = isOwned ? id - static_cast<uint32_t>(first) : owned + ghosts.rank(id);
    }
    if (keepsOrder)
      continue;
    std::rotate(neighbors + begin, neighbors + lower, neighbors + upper);
    if (weights)
      std::rotate(weights + begin, weights + lower, weights + upper);
  }
}

} // namespace

void localize(Loading &loading, int64_t first, uint32_t owned, bool keepsOrder, Adjacency &out, Adjacency &in,
              Array<uint32_t> &ghosts) {
  IdSet ids;
  if (!ids.make(loading, first, owned, out, in) || !loading.take(ghosts, ids.count(), border))
    return;
  size_t at = 0;
  ids.forEach([&](uint32_t id) { ghosts[at++] = id; });
  rename(out, first, owned, ids, keepsOrder);
  rename(in, first, owned, ids, keepsOrder);
}

} // namespace comm::graph
