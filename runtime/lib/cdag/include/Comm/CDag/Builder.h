// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a graph from a global sequence of messages and local operations. The dependencies are those that the buffers
// imply (read after write, write after read, write after write), so the graph computes the same result as the sequence.
// The generators of patterns and of random graphs use it.
#ifndef COMM_CDAG_BUILDER_H
#define COMM_CDAG_BUILDER_H

#include "Comm/CDag/AccessMap.h"
#include "Comm/CDag/Graph.h"

namespace comm::cdag {

class Builder {
public:
  explicit Builder(Graph &graph);
  /// Sends `size` bytes of src's memory at `from` to dst's memory at `to`. A size of zero means signal().
  void message(Rank src, Addr from, Rank dst, Addr to, uint64_t size, int32_t tag = 0);
  /// Adds a message of zero bytes, which waits at both ends for the last joint of that process.
  void signal(Rank src, Rank dst, int32_t tag = 0);
  /// Makes the signals that this process sends or receives from now on wait for the earlier ones.
  void joint(Rank rank);
  void copy(Rank rank, Addr dst, Addr src, uint64_t size);
  void reduce(Rank rank, Addr dst, Addr src, uint64_t size, Operator op, ElementType type, bool sourceFirst = false);
  /// Returns the last operation of this process, or kNone.
  OpId lastOp(Rank rank) const { return last_[rank]; }

private:
  void needSignals();
  void reads(OpId op, Rank rank, Addr addr, uint64_t size);
  void writes(OpId op, Rank rank, Addr addr, uint64_t size);
  void close(OpId op);

  Graph &graph_;
  AccessMap accesses_;
  struct Link {
    OpId op;
    uint32_t next;
  };
  Vec<OpId> last_;
  Vec<OpId> joint_;       ///< signals wait for it
  Vec<uint32_t> signals_; ///< since the joint: heads of lists in links_
  Vec<Link> links_;
  Vec<OpId> found_;
};

} // namespace comm::cdag

#endif
