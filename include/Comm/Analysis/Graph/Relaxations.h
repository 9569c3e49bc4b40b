//===- Relaxations.h - Fixed points of monotonic reductions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StarDist's Lemma 1, for whole fixed points: if changed vertices notify their neighbors, and a monotonic reduction
// combines the notifications, then the result does not depend on their order.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_RELAXATIONS_H
#define COMM_ANALYSIS_GRAPH_RELAXATIONS_H

#include "Comm/Analysis/Graph/Reductions.h"

namespace comm::graph {

/// A fixed point that can run in any order:
///
///   fixed_point until none active {
///     forall vertices where active[v] { forall out_neighbors(v) as n {
///       reduce min property[n], f(property[v]) with(next = true, ...) } }
///     copy next to active; fill next, false }
struct Relaxation {
  ForallOp vertices, neighbors;
  ReduceOp reduce;
  mlir::Value property, active, next;
  /// The companions other than `next`, as indices of the reduction's operands.
  llvm::SmallVector<unsigned> companions;
  /// Different companions may come with the same value. Those of the first round with this value count, so that rounds
  /// must be tracked.
  bool hasTies = false;
  Growth growth = Growth::None;
  /// The reduction combines integers: the vertex's value plus or minus something constant. A cycle of edges along which
  /// values improve never terminates.
  bool isExactSum = false;

  /// The value that is added from a vertex to its neighbor, if it is a property of the edge; null otherwise.
  mlir::Value edgeStep;
  /// The value that is added, if it is the same for all edges; null otherwise.
  mlir::Value uniformStep;
  /// All neighbors of a vertex receive the same value, which depends only on the vertex's value.
  bool isUniform = false;
};

/// Recognizes a fixed point as a relaxation. Returns none and the reason otherwise.
std::optional<Relaxation> getRelaxation(FixedPointOp op, std::string &reason);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_RELAXATIONS_H
