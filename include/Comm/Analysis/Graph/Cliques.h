//===- Cliques.h - Vertices that are all neighbors of each other ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_CLIQUES_H
#define COMM_ANALYSIS_GRAPH_CLIQUES_H

#include "Comm/Dialect/Graph/IR/Graph.h"

#include <optional>

namespace comm::graph {

/// Loops that visit three vertices which are neighbors of each other, each three in one order of their numbers alone,
/// and count them.
struct TriangleCount {
  AccumulateOp accumulate;
};

/// The count that a loop over all vertices is. It takes for granted that the graph has no directions. Any other order
/// of the vertices that is total, as by their numbers of edges, gives the same count then: the three are visited once.
std::optional<TriangleCount> getTriangleCount(ForallOp vertices);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_CLIQUES_H
