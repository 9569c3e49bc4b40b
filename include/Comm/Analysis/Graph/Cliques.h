//===- Cliques.h - Pairwise adjacent vertices -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_CLIQUES_H
#define COMM_ANALYSIS_GRAPH_CLIQUES_H

#include "Comm/Dialect/Graph/IR/Graph.h"

#include <optional>

namespace comm::graph {

/// Loops that count triples of pairwise adjacent vertices, visiting each triple in only one order of its vertex
/// numbers.
struct TriangleCount {
  AccumulateOp accumulate;
};

/// Recognizes a loop over all vertices that counts triangles. Assumes an undirected graph. Any other total order of the
/// vertices, such as by degree, then gives the same count, since each triple is visited once.
std::optional<TriangleCount> getTriangleCount(ForallOp vertices);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_CLIQUES_H
