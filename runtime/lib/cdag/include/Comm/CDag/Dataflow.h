// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dataflow propagation into single-transfer form (paper, section 2.3 and algorithms 3 and 4). Values of local
// reductions are expressions over the memory from before the graph ran.
#ifndef COMM_CDAG_DATAFLOW_H
#define COMM_CDAG_DATAFLOW_H

#include "Comm/CDag/Match.h"
#include "Comm/CDag/Schedule.h"

namespace comm::cdag {

/// The value of a piece of memory. If the id is below the number of processes, it is that process's original memory at
/// address `offset` or (if kScratchBit is set) the result of one of its operations at a LocalValue's address. Otherwise
/// it is an expression, from byte `offset` on.
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

/// The result of a local operation that is not a step of a reduction across processes (all operands come from the
/// process itself, or the operator differs). Later transfers start there, as they do from original memory.
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
  Vec<Transfer> transfers; ///< data of another process, or moved within one
  Vec<Combined> combined;
  /// Live results of local operations on their own process.
  Vec<Combined> computed;
  Vec<LocalValue> locals; ///< by virtual address
  /// Pieces that were written but end with their initial contents.
  Vec<Combined> restored;
  Vec<Expression> expressions; ///< id minus the number of processes
  /// False if the form would exceed `maxPieces`; it is then empty.
  bool complete = true;
  bool localValues = true; ///< LocalValues may be transferred
};

/// Computes the single-transfer form. The pieces of one process are sorted by address; data from different messages is
/// in different pieces.
void propagate(const Graph &graph, const Matching &matching, size_t maxPieces, SingleTransfers &out,
               bool localValues = true);

} // namespace comm::cdag

#endif
