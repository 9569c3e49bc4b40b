// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communication graph: the sends, receives and local operations of each process, with the dependencies between
// operations of one process. It is stored as arrays, about 30 bytes per operation, so that one process can analyze
// hundreds of thousands.
#ifndef COMM_CDAG_GRAPH_H
#define COMM_CDAG_GRAPH_H

#include "Comm/CDag/Error.h"
#include "Comm/CDag/Types.h"
#include "Comm/CDag/Vec.h"

namespace comm::cdag {

/// `op` starts after `on` has completed; both belong to one process.
struct Dependency {
  OpId on;
  OpId op;
};

/// A named piece of a process's memory. Messages use the name; `temporary` says that its contents do not matter after
/// the graph has run.
struct Buffer {
  Rank rank; ///< or kNone: every process has it, at the same addresses
  bool temporary;
  uint32_t name; ///< offset into the graph's text
  Addr start;
  uint64_t size;
};

class Graph {
public:
  explicit Graph(uint32_t ranks = 0);

  // Building. Each add returns the operation's number; bad arguments return
  // kNone and are kept as the graph's first error. Sizes are bytes.

  OpId add(Rank rank, const Operation &operation);
  OpId addSend(Rank rank, Addr addr, uint64_t size, Rank peer, int32_t tag = 0);
  /// `peer` may be kAnySource and `tag` kAnyTag.
  OpId addRecv(Rank rank, Addr addr, uint64_t size, Rank peer, int32_t tag = 0);
  OpId addCopy(Rank rank, Addr dst, Addr src, uint64_t size);
  /// Adds dst = dst op src, element by element, or dst = src op dst with `sourceFirst`.
  OpId addReduce(Rank rank, Addr dst, Addr src, uint64_t size, Operator op, ElementType type, bool sourceFirst = false);
  /// Like addReduce, with an operator that addOperator() returned.
  OpId addUserReduce(Rank rank, Addr dst, Addr src, uint64_t size, uint8_t op, bool sourceFirst = false);
  /// Adds an operation without effect on memory, which joins dependencies.
  OpId addNop(Rank rank);
  /// Makes `op` wait for `on`.
  void addDependency(OpId op, OpId on);
  /// Declares a named buffer; on all processes if `rank` is kNone.
  void addBuffer(Rank rank, Addr start, uint64_t size, const char *name, bool temporary = false);
  /// Registers a user operator on elements of `elemSize` bytes.
  uint8_t addOperator(OperatorLaws laws, uint32_t elemSize);
  void reserve(size_t ops, size_t deps);

  /// Builds the indices by process and by operation. Every analysis calls this; it is cheap if nothing changed.
  void freeze();

  /// Returns an empty graph with the same number of processes and the same user operators.
  Graph withoutOperations() const {
    Graph graph(ranks_);
    graph.operators_ = operators_;
    return graph;
  }

  /// Returns the first error of building, or no error.
  const Error &error() const { return error_; }

  // Reading.

  uint32_t numRanks() const { return ranks_; }
  uint32_t numOps() const { return static_cast<uint32_t>(kind_.size()); }
  uint32_t numDependencies() const { return static_cast<uint32_t>(deps_.size()); }
  OpKind kind(OpId op) const { return static_cast<OpKind>(kind_[op]); }
  bool isMessage(OpId op) const { return kind_[op] <= uint8_t(OpKind::Recv); }
  bool isSend(OpId op) const { return kind_[op] == uint8_t(OpKind::Send); }
  bool isRecv(OpId op) const { return kind_[op] == uint8_t(OpKind::Recv); }
  /// Copy or Reduce.
  bool isLocal(OpId op) const { return kind(op) == OpKind::Copy || kind(op) == OpKind::Reduce; }
  Rank rank(OpId op) const { return rank_[op]; }
  /// Sends and receives only.
  Rank peer(OpId op) const { return peer_[op]; }
  int32_t tag(OpId op) const { return tag_[op]; }
  /// Returns the buffer that is sent or received, or a local operation's destination.
  Addr addr(OpId op) const { return addr_[op]; }
  uint64_t size(OpId op) const { return size_[op]; }
  /// Copies and reductions only.
  Addr source(OpId op) const { return locals_[peer_[op]].source; }
  /// Reductions only.
  const Reduction &reduction(OpId op) const { return locals_[peer_[op]].reduction; }
  /// Returns the size of a reduction's element, or 1 for a copy.
  uint32_t elementBytes(OpId op) const;
  /// Returns all fields of an operation.
  Operation operation(OpId op) const;
  OperatorLaws laws(uint8_t op) const;

  /// Operations of a process, in order of insertion (after freeze()).
  uint32_t numOpsOf(Rank rank) const { return rankBegin_[rank + 1] - rankBegin_[rank]; }
  OpId opOf(Rank rank, uint32_t index) const {
    uint32_t at = rankBegin_[rank] + index;
    return byRank_.empty() ? at : byRank_[at];
  }
  /// Dependencies of an operation (after freeze()).
  const Dependency *depsBegin(OpId op) const { return deps_.begin() + depBegin_[op]; }
  const Dependency *depsEnd(OpId op) const { return deps_.begin() + depBegin_[op + 1]; }
  /// All dependencies, sorted by `op` (after freeze()).
  const Vec<Dependency> &dependencies() const { return deps_; }
  const Vec<Buffer> &buffers() const { return buffers_; }
  const char *bufferName(const Buffer &buffer) const { return text_.data() + buffer.name; }
  /// Returns the buffer that contains `addr`, or null. Linear in the number of buffers.
  const Buffer *findBuffer(Rank rank, Addr addr) const;
  /// Prints "operation 3 (recv 16 bytes at buf+8 from 2, tag 0)". The number counts the process's own operations.
  void describe(OpId op, char *out, size_t size) const;
  /// Prints "buf+8", or "address 0x10".
  void describeAddress(Rank rank, Addr addr, char *out, size_t size) const;

private:
  bool checkMessage(Rank rank, const Operation &operation);
  bool checkReduction(Rank rank, const Operation &operation);
  bool checkLocal(Rank rank, const Operation &operation);
  bool checkRange(Rank rank, Addr addr, uint64_t size);
  void fail(const Error &error);
  uint32_t elementBytes(const Reduction &reduction) const;

  /// The additional fields of local operations.
  struct Local {
    Addr source;
    Reduction reduction;
  };

  uint32_t ranks_;
  bool frozen_ = false;
  Vec<uint8_t> kind_;
  Vec<Rank> rank_;
  Vec<uint32_t> peer_; ///< peer, or the index into locals_
  Vec<int32_t> tag_;
  Vec<Addr> addr_;
  Vec<uint64_t> size_;
  Vec<Local> locals_;
  Vec<Dependency> deps_;
  Vec<uint32_t> depBegin_;
  Vec<uint32_t> rankBegin_;
  Vec<OpId> byRank_; ///< empty if operations were inserted process by process
  Vec<Buffer> buffers_;
  Vec<char> text_;
  struct UserOperator {
    OperatorLaws laws;
    uint32_t elemSize;
  };
  Vec<UserOperator> operators_;
  Error error_;
};

/// The parts of a process's memory whose final contents matter, that is, everything except temporary buffers. Queries
/// are logarithmic.
class Liveness {
public:
  explicit Liveness(const Graph &graph);
  /// Calls keep(lo, hi) for each maximal live piece of [lo, hi).
  template <typename Fn> void forEachLive(Rank rank, Addr lo, Addr hi, Fn keep) const {
    while (lo < hi) {
      Addr deadLo = hi, deadHi = hi;
      findDead(rank, lo, hi, deadLo, deadHi);
      if (lo < deadLo)
        keep(lo, deadLo);
      lo = deadHi;
    }
  }

private:
  struct Piece {
    Rank rank;
    Addr lo, hi;
  };
  /// Returns the first dead piece that overlaps [lo, hi), clipped to it.
  void findDead(Rank rank, Addr lo, Addr hi, Addr &deadLo, Addr &deadHi) const;
  Vec<Piece> pieces_; ///< sorted by (rank, lo), disjoint; rank kNone: all
  size_t common_ = 0; ///< pieces_[common_..] apply to all ranks
};

} // namespace comm::cdag

#endif
