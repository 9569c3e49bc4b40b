// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records for each byte of each process the operation that wrote it last and those that have read it since. A new
// access must be ordered after the conflicting ones.
#ifndef COMM_CDAG_ACCESSMAP_H
#define COMM_CDAG_ACCESSMAP_H

#include "Comm/CDag/IntervalForest.h"

namespace comm::cdag {

class AccessMap {
public:
  explicit AccessMap(uint32_t maps) : forest_(maps) {}

  /// Appends the last writers of the range to `conflicts`, possibly with repetitions.
  void read(uint32_t map, Addr addr, uint64_t size, OpId op, Vec<OpId> &conflicts);
  /// Appends the last writers and the operations that have read since.
  void write(uint32_t map, Addr addr, uint64_t size, OpId op, Vec<OpId> &conflicts);

  void clear() {
    forest_.clear();
    readers_.clear();
  }

private:
  struct Access {
    OpId writer = kNone;
    uint32_t readers = kNone; ///< head of a list in readers_
    Access advanced(uint64_t) const { return *this; }
  };
  struct Reader {
    OpId op;
    uint32_t next;
  };
  IntervalForest<Access> forest_;
  Vec<Reader> readers_; ///< lists share tails after a cut, so they never change
};

} // namespace comm::cdag

#endif
