// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dataflow propagation into single-transfer form (paper, section 2.3 and
// algorithms 3 and 4), with values of local reductions as expressions over
// memory from before the graph ran.
#ifndef COMM_CDAG_DATAFLOW_H
#define COMM_CDAG_DATAFLOW_H

#include "Comm/CDag/Match.h"
#include "Comm/CDag/Schedule.h"

namespace comm::cdag {

/// The value of a piece of memory: for an id below the number of processes,
/// that process's original memory at address `offset`, or (kScratchBit set)
/// what one of its operations computed, at a LocalValue's address; else bytes
/// `offset` onwards of an expression.
struct Value {
  uint32_t id;
  uint64_t offset;
};

/// left op right.
struct Expression {
  Value left, right;
  uint8_t op;
  ElementType type;
  uint32_t elemSize;
};

/// What a local operation computed that is no step of a reduction across
/// processes (all from the process itself, or under another operator): later
/// transfers start there, as they do from original memory.
struct LocalValue {
  Addr virtualAddr; ///< has kScratchBit; unique in the graph
  Addr addr;
  uint64_t size;
  Rank rank;
  OpId op;
};

/// A live piece of final memory that holds the result of an expression.
struct Combined {
  Rank rank;
  Addr addr;
  uint64_t size;
  Value value;
};

/// The single-transfer form: the live memory that the graph changes.
struct SingleTransfers {
  Vec<Transfer> transfers; ///< unchanged data of another process, or moved
  Vec<Combined> combined;
  /// Live results of local operations on their own process.
  Vec<Combined> computed;
  Vec<LocalValue> locals; ///< by virtual address
  /// Pieces that were written, but end with what they began with.
  Vec<Combined> restored;
  Vec<Expression> expressions; ///< id minus the number of processes
  /// False if the form would be larger than `maxPieces`: then it is empty.
  bool complete = true;
  bool localValues = true; ///< LocalValues may be transferred
};

/// Pieces of one process are in the order of addresses; data that came in
/// different messages are different pieces.
void propagate(const Graph &graph, const Matching &matching, size_t maxPieces, SingleTransfers &out,
               bool localValues = true);

} // namespace comm::cdag

#endif
