// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilation makes of a graph: collectives, what becomes of each
// operation of the graph, and the dependencies between the two.
#ifndef COMM_CDAG_SCHEDULE_H
#define COMM_CDAG_SCHEDULE_H

#include "Comm/CDag/Graph.h"

namespace comm::cdag {

/// One assignment of the single-transfer form: `size` bytes of src's memory
/// delivered to dst.
struct Transfer {
  Rank src;
  Rank dst;
  Addr srcAddr; ///< or an offset into src's scratch memory (kScratchBit)
  Addr dstAddr;
  uint64_t size;
};

/// A detected collective. What a process reads is its memory from before the
/// graph ran (possibly saved to scratch memory by a Stage), or what one of its
/// local operations computed: dependencies see to it that this is there when the
/// collective may start, and stays until it has completed.
///
/// Data movement (bcast to alltoallv): `transfers` lists every movement,
/// sorted by (src, dst); blocks for oneself have src = dst and are
/// there for all or for none of the members (see `selfCopies`).
///
/// Reductions: a contribution is a Transfer with src = dst = the contributing
/// process and dstAddr = the block's offset in the concatenation of the
/// collective's blocks; they come first, `numInputs` of them, sorted by (src,
/// offset). Then the results: src = kNone, dst = the process that gets it,
/// srcAddr = the block's offset. A reduce_scatter has one or several blocks for
/// each member; allreduce, reduce, scan and exscan the same blocks for all. In
/// a scan the first member's result, and in an exscan the second member's, may
/// be missing: it is then not wanted at its place.
///
/// Barrier: no transfers.
struct Collective {
  CollectiveKind kind;
  bool selfCopies;                 ///< own blocks are delivered too
  bool inPlace;                    ///< each process's input and output bytes coincide
  uint8_t op;                      ///< reductions: Operator, or kUserOperator + index
  ElementType type;                ///< reductions
  Rank root;                       ///< rooted collectives: a process of the graph
  uint32_t memberBegin, memberEnd; ///< into Schedule::members; equal: all
  uint32_t begin, end;             ///< into Schedule::transfers
  uint32_t numInputs;              ///< reductions
};

/// The fate of an operation of the graph.
enum class Action : uint8_t {
  Keep,     ///< as it was
  SyncOnly, ///< a send or receive with zero bytes: only its order matters
  Drop,     ///< no effect; passes dependencies on
};

/// One end of an additional dependency.
struct NodeRef {
  bool collective;
  uint32_t index; ///< of the collective, or the operation
};

/// On process `rank`, `op` waits for `on`.
struct ScheduleDependency {
  Rank rank;
  NodeRef on;
  NodeRef op;
};

/// Before anything else, `size` bytes at `addr` of process `rank` are copied to
/// offset `scratch` of its scratch memory.
struct Stage {
  Rank rank;
  Addr addr;
  uint64_t scratch;
  uint64_t size;
};

struct Schedule {
  /// In an order in which all processes may run them.
  Vec<Collective> collectives;
  Vec<Rank> members; ///< in the order of the communicator
  Vec<Transfer> transfers;
  Vec<Action> actions; ///< per operation; empty: all Keep
  Vec<OpId> match;     ///< partner of each send and receive, else kNone
  Vec<ScheduleDependency> dependencies;
  Vec<Stage> stages;
  uint64_t scratchSize = 0; ///< bytes, the largest of any process

  Action action(OpId op) const { return actions.empty() ? Action::Keep : actions[op]; }
  uint32_t numMembers(const Collective &c, const Graph &graph) const {
    return c.memberBegin == c.memberEnd ? graph.numRanks() : c.memberEnd - c.memberBegin;
  }
  /// The i-th process of the collective's communicator.
  Rank member(const Collective &c, uint32_t i) const {
    return c.memberBegin == c.memberEnd ? i : members[c.memberBegin + i];
  }
  /// Place of a process in the communicator, or kNone. Linear for subsets.
  uint32_t position(const Collective &c, Rank rank) const;
  /// Does completion at `to` imply that `from` has entered? By position; v
  /// forms by their transfers.
  bool synchronizes(const Collective &c, Rank from, Rank to) const;
};

} // namespace comm::cdag

#endif
