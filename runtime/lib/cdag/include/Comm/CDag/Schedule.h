// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of compilation: collectives, the action for each operation of the graph, and the dependencies between the
// two.
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

/// A detected collective. A process contributes its memory from before the graph ran (possibly saved to scratch memory
/// by a Stage) or the result of one of its local operations. Dependencies ensure that this data is there when the
/// collective may start, and stays until it has completed.
///
/// Data movement (bcast to alltoallv): `transfers` lists every movement, sorted by (src, dst). Own blocks have src =
/// dst; either all members have them or none (see `selfCopies`).
///
/// Reductions: a contribution is a Transfer with src = dst = the contributing process and dstAddr = the block's offset
/// in the concatenation of the collective's blocks. The `numInputs` contributions come first, sorted by (src, offset).
/// In the results, src = kNone, dst = the receiving process and srcAddr = the block's offset. A reduce_scatter has one
/// or more blocks per member; allreduce, reduce, scan and exscan have the same blocks for all. The first member's
/// result of a scan and the second member's of an exscan may be missing, if the program does not want it there.
///
/// Barrier: no transfers.
struct Collective {
  CollectiveKind kind;
  bool selfCopies;                 ///< whether own blocks are delivered too
  bool inPlace;                    ///< whether each process's input and output bytes coincide
  uint8_t op;                      ///< reductions: Operator, or kUserOperator + index
  ElementType type;                ///< reductions
  Rank root;                       ///< rooted collectives: a process of the graph
  uint32_t memberBegin, memberEnd; ///< into Schedule::members; equal: all
  uint32_t begin, end;             ///< into Schedule::transfers
  uint32_t numInputs;              ///< reductions
};

/// What happens to an operation of the graph.
enum class Action : uint8_t {
  Keep,     ///< unchanged
  SyncOnly, ///< a send or receive with zero bytes: only its order matters
  Drop,     ///< removed; passes dependencies on
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

/// Copies `size` bytes at `addr` of process `rank` to offset `scratch` of its scratch memory, before anything else
/// runs.
struct Stage {
  Rank rank;
  Addr addr;
  uint64_t scratch;
  uint64_t size;
};

struct Schedule {
  /// In an order in which all processes can run them.
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
  /// Returns the i-th process of the collective's communicator.
  Rank member(const Collective &c, uint32_t i) const {
    return c.memberBegin == c.memberEnd ? i : members[c.memberBegin + i];
  }
  /// Returns the index of a process in the communicator, or kNone. Linear for subsets.
  uint32_t position(const Collective &c, Rank rank) const;
  /// Returns true if completion at `to` implies that `from` has entered. Uses positions, and transfers for the v forms.
  bool synchronizes(const Collective &c, Rank from, Rank to) const;
};

} // namespace comm::cdag

#endif
