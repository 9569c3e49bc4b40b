//===- Gathers.h - Sums over neighbors -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_GATHERS_H
#define COMM_ANALYSIS_GRAPH_GATHERS_H

#include "Comm/Analysis/Graph/Accesses.h"

namespace comm::graph {

/// A loop over the neighbors of a vertex that combines one property of theirs in a variable of the vertex' iteration.
struct Gather {
  /// The loop over vertices.
  ForallOp vertices;
  mlir::Value property;
  LoadOp load;
  AccumulateOp accumulate;
};

/// The gather that a loop over neighbors is, if it may be done for all vertices at once, before the loop over them.
/// None, with the reason, if the loop is no gather.
std::optional<Gather> getGather(ForallOp neighbors, std::string &reason);

/// What loops over neighbors compute of a neighbor alone: its value could be a property.
struct SharedTerm {
  /// The loop over vertices, and the one over neighbors.
  ForallOp vertices, neighbors;
  mlir::Value term;
};

/// The largest terms of a loop over all vertices that are worth a property, and are not known to stop the program.
llvm::SmallVector<SharedTerm> getSharedTerms(ForallOp vertices);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_GATHERS_H
