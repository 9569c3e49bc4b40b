//===- Gathers.h - Sums over neighbors -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_GATHERS_H
#define COMM_ANALYSIS_GRAPH_GATHERS_H

#include "Comm/Analysis/Graph/Accesses.h"

namespace comm::graph {

/// A loop over the neighbors of a vertex that combines one of their properties in a variable of the vertex's iteration.
struct Gather {
  /// The loop over vertices.
  ForallOp vertices;
  mlir::Value property;
  LoadOp load;
  AccumulateOp accumulate;
};

/// Recognizes a loop over neighbors as a gather that can be done for all vertices at once, before the loop over them.
/// Returns none and the reason otherwise.
std::optional<Gather> getGather(ForallOp neighbors, std::string &reason);

/// A value that depends only on the neighbor, so that it could be computed once per vertex and stored in a property.
struct SharedTerm {
  /// The loop over vertices, and the one over their neighbors.
  ForallOp vertices, neighbors;
  mlir::Value term;
};

/// Returns the largest terms of a loop over all vertices that are worth a property and cannot stop the program.
llvm::SmallVector<SharedTerm> getSharedTerms(ForallOp vertices);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_GATHERS_H
