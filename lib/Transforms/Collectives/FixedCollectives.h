//===- FixedCollectives.h - Graphs of a known number of processes --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph that is not a collective for every number of processes may be one for a certain number: trees, butterflies.
// It is evaluated for that number and compiled by the algorithms of runtime/lib/cdag.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_COLLECTIVES_FIXEDCOLLECTIVES_H
#define COMM_LIB_TRANSFORMS_COLLECTIVES_FIXEDCOLLECTIVES_H

#include "Comm/Transforms/Utils/RuntimeCalls.h"

#include "Comm/Analysis/Symbolic/GraphEvaluator.h"

#include "Comm/CDag/Types.h"

namespace comm {

/// A place in the memory of one process.
struct FixedAddress {
  mlir::Value base;
  int64_t offset = 0;
  bool operator==(const FixedAddress &other) const { return base == other.base && offset == other.offset; }
};

/// One collective of all processes, on contiguous blocks of `bytes` bytes.
struct FixedCollective {
  cdag::CollectiveKind kind;
  uint64_t bytes = 0;
  unsigned root = 0;
  /// The process's own block is already in place: at the root of a gather or scatter.
  bool isInPlace = false;
  /// By process; without base where it is not significant.
  llvm::SmallVector<FixedAddress> send, receive;
};

/// Returns the collectives that replace the whole graph for `ranks` processes, in order. Returns none and sets the
/// reason if a part of the graph would remain.
std::optional<std::vector<FixedCollective>> findFixedCollectives(CDagOp graph, unsigned ranks, const mpi::ABI &abi,
                                                                 std::string &reason);

/// Builds the collective at the builder's insertion point.
MPIOpInterface buildFixedCollective(mlir::OpBuilder &builder, mlir::Location loc, RuntimeCalls &globals,
                                    const FixedCollective &collective, mlir::Value communicator);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_FIXEDCOLLECTIVES_H
