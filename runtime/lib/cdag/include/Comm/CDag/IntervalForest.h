// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered maps from disjoint address intervals to payloads, one per process. All maps share one pool of nodes with
// 32-bit links (treaps whose priorities are hashes of the node's number). Operations are logarithmic, and a process
// needs no header or allocation.
#ifndef COMM_CDAG_INTERVALFOREST_H
#define COMM_CDAG_INTERVALFOREST_H

#include "Comm/CDag/Types.h"
#include "Comm/CDag/Vec.h"

namespace comm::cdag {

/// Payload must have `Payload advanced(uint64_t bytes) const`, which returns the payload of the rest of an interval
/// after its first bytes are cut off.
template <typename Payload> class IntervalForest {
public:
  struct Node {
    Addr lo, hi;
    Payload payload;
    uint32_t left, right;
  };

  explicit IntervalForest(uint32_t maps) : roots_(maps, kNone), ends_(maps, 0) {}

  bool empty(uint32_t map) const { return roots_[map] == kNone; }
  void reserve(size_t nodes) { pool_.reserve(nodes); }
  /// Empties all maps but keeps the memory.
  void clear() {
    for (uint32_t &root : roots_)
      root = kNone;
    for (Addr &end : ends_)
      end = 0;
    pool_.clear();
    free_ = kNone;
  }

  /// Calls fn(lo, hi, const Payload *) for the pieces of [lo, hi) in order. The payload of a gap is null.
  template <typename Fn> void pieces(uint32_t map, Addr lo, Addr hi, Fn fn) const {
    Addr at = lo;
    if (lo < ends_[map])
      walk(roots_[map], lo, hi, [&](const Node &node) {
        Addr from = node.lo < lo ? lo : node.lo;
        Addr to = node.hi > hi ? hi : node.hi;
        if (at < from)
          fn(at, from, static_cast<const Payload *>(nullptr));
        Payload payload = node.payload.advanced(from - node.lo);
        fn(from, to, static_cast<const Payload *>(&payload));
        at = to;
      });
    if (at < hi)
      fn(at, hi, static_cast<const Payload *>(nullptr));
  }

  /// Calls fn(lo, hi, Payload &) for all whole intervals of a map, in order.
  template <typename Fn> void forEach(uint32_t map, Fn fn) { walkAll(roots_[map], fn); }

  /// Cuts at both ends, fills gaps of [lo, hi) with `gap`, and calls
  /// fn(lo, hi, Payload &) for each interval of [lo, hi).
  template <typename Fn> void update(uint32_t map, Addr lo, Addr hi, Payload gap, Fn fn) {
    if (lo >= hi)
      return;
    uint32_t before, middle, after;
    carve(map, lo, hi, before, middle, after);
    if (hi > ends_[map])
      ends_[map] = hi;
    // Fill gaps in order: collect the middle's intervals first.
    scratch_.clear();
    Addr at = lo;
    walkAll(middle, [&](Addr l, Addr h, Payload &) {
      if (at < l)
        scratch_.push_back({at, l});
      at = h;
    });
    if (at < hi)
      scratch_.push_back({at, hi});
    for (size_t i = 0; i < scratch_.size(); ++i) {
      uint32_t left, right;
      split(middle, scratch_[i].lo, left, right);
      Payload payload = gap.advanced(scratch_[i].lo - lo);
      uint32_t fresh = allocate(scratch_[i].lo, scratch_[i].hi, payload);
      middle = merge(merge(left, fresh), right);
    }
    walkAll(middle, fn);
    roots_[map] = merge(merge(before, middle), after);
  }

  /// Replaces [lo, hi) with one interval.
  void assign(uint32_t map, Addr lo, Addr hi, Payload payload) {
    if (lo >= hi)
      return;
    uint32_t before, middle, after;
    carve(map, lo, hi, before, middle, after);
    if (hi > ends_[map])
      ends_[map] = hi;
    if (middle == kNone) {
      middle = allocate(lo, hi, payload);
    } else {
      dropTree(pool_[middle].left);
      dropTree(pool_[middle].right);
      Node &node = pool_[middle];
      node = {lo, hi, payload, kNone, kNone};
    }
    roots_[map] = merge(merge(before, middle), after);
  }

  /// Makes [lo, hi) a gap.
  void erase(uint32_t map, Addr lo, Addr hi) {
    if (lo >= hi || roots_[map] == kNone)
      return;
    uint32_t before, middle, after;
    carve(map, lo, hi, before, middle, after);
    dropTree(middle);
    roots_[map] = merge(before, after);
  }

private:
  struct Gap {
    Addr lo, hi;
  };

  static uint32_t priority(uint32_t i) {
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ (i >> 16);
  }
  uint32_t allocate(Addr lo, Addr hi, Payload payload) {
    if (free_ != kNone) {
      uint32_t i = free_;
      free_ = pool_[i].left;
      pool_[i] = {lo, hi, payload, kNone, kNone};
      return i;
    }
    pool_.push_back({lo, hi, payload, kNone, kNone});
    return static_cast<uint32_t>(pool_.size() - 1);
  }
  void dropTree(uint32_t t) {
    if (t == kNone)
      return;
    dropTree(pool_[t].left);
    dropTree(pool_[t].right);
    pool_[t].left = free_;
    free_ = t;
  }
  /// Puts intervals that begin before `key` into `left`.
  void split(uint32_t t, Addr key, uint32_t &left, uint32_t &right) {
    if (t == kNone) {
      left = right = kNone;
    } else if (pool_[t].lo < key) {
      uint32_t inner;
      split(pool_[t].right, key, inner, right);
      pool_[t].right = inner;
      left = t;
    } else {
      uint32_t inner;
      split(pool_[t].left, key, left, inner);
      pool_[t].left = inner;
      right = t;
    }
  }
  uint32_t merge(uint32_t a, uint32_t b) {
    if (a == kNone)
      return b;
    if (b == kNone)
      return a;
    if (priority(a) > priority(b)) {
      uint32_t inner = merge(pool_[a].right, b);
      pool_[a].right = inner;
      return a;
    }
    uint32_t inner = merge(a, pool_[b].left);
    pool_[b].left = inner;
    return b;
  }
  /// Shortens the interval of tree `t` that contains `key` in its interior. Returns the rest as a new tree of one node,
  /// or kNone.
  uint32_t cut(uint32_t t, Addr key) {
    while (t != kNone) {
      Node &node = pool_[t];
      if (key <= node.lo) {
        t = node.left;
      } else if (key >= node.hi) {
        t = node.right;
      } else {
        Addr hi = node.hi;
        Payload rest = node.payload.advanced(key - node.lo);
        node.hi = key;
        return allocate(key, hi, rest);
      }
    }
    return kNone;
  }
  void carve(uint32_t map, Addr lo, Addr hi, uint32_t &before, uint32_t &middle, uint32_t &after) {
    uint32_t t = roots_[map];
    if (t == kNone || lo >= ends_[map]) {
      // Memory is often written in ascending order, so nothing is there yet.
      before = t;
      middle = after = kNone;
      return;
    }
    uint32_t rest = cut(t, lo);
    split(t, lo, before, middle);
    middle = merge(rest, middle);
    rest = cut(middle, hi);
    uint32_t tail;
    split(middle, hi, middle, tail);
    after = merge(rest, tail);
  }
  template <typename Fn> void walk(uint32_t t, Addr lo, Addr hi, const Fn &fn) const {
    if (t == kNone)
      return;
    const Node &node = pool_[t];
    if (node.lo > lo)
      walk(node.left, lo, hi, fn);
    if (node.lo < hi && node.hi > lo)
      fn(node);
    if (node.hi < hi)
      walk(node.right, lo, hi, fn);
  }
  template <typename Fn> void walkAll(uint32_t t, Fn &&fn) {
    if (t == kNone)
      return;
    walkAll(pool_[t].left, fn);
    fn(pool_[t].lo, pool_[t].hi, pool_[t].payload);
    walkAll(pool_[t].right, fn);
  }

  Vec<uint32_t> roots_;
  Vec<Addr> ends_; ///< upper bound of the map's intervals
  Vec<Node> pool_;
  Vec<Gap> scratch_;
  uint32_t free_ = kNone;
};

} // namespace comm::cdag

#endif
