// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wait sets: the processes that a process waits for, directly or through others, before it leaves the communication
// (paper, section 2.3).
#ifndef COMM_CDAG_WAITSETS_H
#define COMM_CDAG_WAITSETS_H

#include "Comm/CDag/Match.h"
#include "Comm/CDag/Schedule.h"

namespace comm::cdag {

/// Computes wait sets restricted to 64 processes. This takes one pass over the graph and 8 bytes per operation, and
/// avoids storing p x p bits. Bit i of sets[r] says that process r waits for process first + i (or is that process).
/// With `emptyOnly`, only messages of zero bytes synchronize.
void waitSetsOf(const Graph &graph, const Matching &matching, Rank first, bool emptyOnly, Vec<uint64_t> &sets);

/// The same for a schedule of the graph. For tests; uses more memory.
void waitSetsOf(const Graph &graph, const Matching &matching, const Schedule &schedule, Rank first,
                Vec<uint64_t> &sets);

/// A group of processes whose messages of zero bytes make each wait for all
/// others: a barrier.
struct BarrierGroup {
  uint32_t begin, end; ///< into the processes of BarrierGroups
};
struct BarrierGroups {
  Vec<BarrierGroup> groups;
  Vec<Rank> ranks; ///< sorted within a group
};

/// Finds the connected components of the messages of zero bytes whose wait sets are complete. Gives up after roughly
/// 10^9 steps.
void findBarriers(const Graph &graph, const Matching &matching, BarrierGroups &out);

} // namespace comm::cdag

#endif
