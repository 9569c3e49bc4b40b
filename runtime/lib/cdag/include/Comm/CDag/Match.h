// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Message matching by simulated execution (paper, section 2.1 and algorithm 1).
#ifndef COMM_CDAG_MATCH_H
#define COMM_CDAG_MATCH_H

#include "Comm/CDag/Graph.h"

namespace comm::cdag {

struct Matching {
  /// The other end of each send and receive; kNone for other operations.
  Vec<OpId> partner;
  /// All operations in an order of execution. The receive directly follows its send.
  Vec<OpId> order;
};

/// Matches sends and receives first in, first out by (source, destination, tag), in the order in which a parallel
/// execution posts them. Wildcards match what that execution offers. Returns Unmatched, Truncation or Deadlock on
/// errors. Takes expected O(n + m) time.
Error matchMessages(Graph &graph, Matching &matching);

/// Finds two operations of one process that touch the same bytes, at least one writing, without a path of dependencies
/// between them. Gives up (`complete` is false, no error) after some 10^8 conflicting pairs.
Error checkRaces(Graph &graph, const Matching &matching, bool *complete = nullptr);

} // namespace comm::cdag

#endif
