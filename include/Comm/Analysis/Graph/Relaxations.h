//===- Relaxations.h - Fixed points of monotonic reductions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What StarDist calls Lemma 1, for whole fixed points: where vertices that changed tell their neighbors, and a
// monotonic reduction combines what they tell, the end is the same in whichever order that happens.
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
  /// The companions other than `next`, as numbers of the reduction's operands.
  llvm::SmallVector<unsigned> companions;
  /// Different companions may come with one value: those of the round in which it comes first count, so that
  /// rounds have to be known.
  bool hasTies = false;
  Growth growth = Growth::None;
  /// Of integers: it combines the vertex' value, plus or minus what does not change, so that a cycle of edges along
  /// which values become better has no end.
  bool isExactSum = false;

  /// What is added from a vertex to its neighbor, if it is a value of the edge; null for others.
  mlir::Value edgeStep;
  /// What is added, if it is the same for all edges; null for others.
  mlir::Value uniformStep;
  /// All neighbors of one vertex are told the same, which depends on nothing else of the vertex than its value.
  bool isUniform = false;
};

/// The relaxation that a fixed point is; none, with the reason, if it is none.
std::optional<Relaxation> getRelaxation(FixedPointOp op, std::string &reason);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_RELAXATIONS_H
