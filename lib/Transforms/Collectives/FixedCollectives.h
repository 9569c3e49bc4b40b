//===- FixedCollectives.h - Graphs of a known number of processes --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph that is no collective for every number of processes may be one for a certain number: trees, butterflies. For
// that number it is executed, and compiled by the algorithms of runtime/lib/cdag.
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
  /// The own block is where it belongs already: of a gather or scatter, at the root.
  bool isInPlace = false;
  /// By process; with no base where it does not matter.
  llvm::SmallVector<FixedAddress> send, receive;
};

/// The collectives that take the place of the whole graph for `ranks` processes, in order; none, with the reason, if
/// something of it would stay.
std::optional<std::vector<FixedCollective>> findFixedCollectives(CDagOp graph, unsigned ranks, const mpi::ABI &abi,
                                                                 std::string &reason);

/// Builds the collective at the builder's insertion point.
MPIOpInterface buildFixedCollective(mlir::OpBuilder &builder, mlir::Location loc, RuntimeCalls &globals,
                                    const FixedCollective &collective, mlir::Value communicator);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_FIXEDCOLLECTIVES_H
