// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table from (source, destination, tag) to a queue of posted operations. Wildcard sources and tags are separate
// keys.
#ifndef COMM_CDAG_CHANNELTABLE_H
#define COMM_CDAG_CHANNELTABLE_H

#include "Comm/CDag/Types.h"
#include "Comm/CDag/Vec.h"

namespace comm::cdag {

struct Channel {
  Rank src, dst;
  int32_t tag;
  OpId head, tail; ///< the queue; the caller keeps the links
};

class ChannelTable {
public:
  /// Reserves room for about `keys` keys.
  explicit ChannelTable(size_t keys) {
    size_t capacity = 64;
    while (capacity * 5 < keys * 8)
      capacity *= 2;
    slots_.assign(capacity, empty());
  }

  /// Returns the channel, or null.
  Channel *find(Rank src, Rank dst, int32_t tag) {
    Channel &slot = slots_[place(src, dst, tag)];
    return slot.dst == kNone ? nullptr : &slot;
  }

  /// Returns the channel; creates it if necessary. Invalidates earlier pointers.
  Channel *get(Rank src, Rank dst, int32_t tag) {
    size_t at = place(src, dst, tag);
    if (slots_[at].dst != kNone)
      return &slots_[at];
    if ((used_ + 1) * 8 > slots_.size() * 5) {
      grow();
      at = place(src, dst, tag);
    }
    ++used_;
    slots_[at] = {src, dst, tag, kNone, kNone};
    return &slots_[at];
  }

private:
  static Channel empty() { return {kNone, kNone, 0, kNone, kNone}; }
  size_t place(Rank src, Rank dst, int32_t tag) const {
    uint64_t h = (uint64_t(src) << 32 | dst) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    h = (h + uint32_t(tag)) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 32;
    size_t mask = slots_.size() - 1;
    for (size_t at = h & mask;; at = (at + 1) & mask) {
      const Channel &slot = slots_[at];
      if (slot.dst == kNone || (slot.src == src && slot.dst == dst && slot.tag == tag))
        return at;
    }
  }
  void grow() {
    Vec<Channel> old(slots_.size() * 2, empty());
    old.swap(slots_);
    for (const Channel &slot : old)
      if (slot.dst != kNone)
        slots_[place(slot.src, slot.dst, slot.tag)] = slot;
  }

  Vec<Channel> slots_;
  size_t used_ = 0;
};

} // namespace comm::cdag

#endif
