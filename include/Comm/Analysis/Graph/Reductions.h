//===- Reductions.h - What reductions allow in graph programs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analyses of StarDist (Nandy and Nasre), section III and IV, and what they lead to.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_REDUCTIONS_H
#define COMM_ANALYSIS_GRAPH_REDUCTIONS_H

#include "Comm/Analysis/Graph/Accesses.h"

#include "llvm/ADT/SetVector.h"

namespace comm::graph {

/// Definition 1. A statement is reduction-exclusive if it leads to exactly one reduction, and what that reads or
/// updates
/// (`elements`) is not touched outside of it.
struct Exclusive {
  mlir::Operation *reduction = nullptr;
  /// The properties and variables that the reduction updates, and those that its values are computed of.
  llvm::SetVector<mlir::Value> elements;
};

/// The reduction that the statement is exclusive for; none if it is not.
std::optional<Exclusive> getExclusive(mlir::Operation *statement);

/// Definition 2. The properties that the statement reads and does not update: what another process has of them can be
/// kept while the statement runs. Empty if the statement is not reduction-exclusive.
llvm::SetVector<mlir::Value> getCacheSafe(mlir::Operation *statement);

/// Definition 3. A pulse: what processes compute by themselves, up to the next exchange.
struct Pulse {
  /// Operations of one block, in order; the last one, a loop, needs the exchange (or the end of the block does).
  llvm::SmallVector<mlir::Operation *> operations;
  /// Properties that are read of vertices or edges of other processes, that are updated there, and variables that are
  /// combined over all processes.
  llvm::SetVector<mlir::Value> remoteReads, remoteUpdates, combined;
  /// Properties that are touched of own vertices and edges alone.
  llvm::SetVector<mlir::Value> local;
};

/// The pulses of a block; loops that have pulses of their own are none.
llvm::SmallVector<Pulse> getPulses(mlir::Block &block);

/// How the value of a reduction depends on the property that it is for.
enum class Growth {
  None,     // not monotonic
  Constant, // does not depend on it
  Copied,   // it is a value of the property
  Shifted,  // a value of the property, plus what does not depend on it
};

/// Whether a reduction is monotonic: its operator is, and its value rises with the property that it reads. Then it can
/// be repeated and brought forward, and ends at the same fixed point.
Growth getGrowth(ReduceOp reduce);

/// The searches for edges in loops over the neighbors of one end: the loop has the edge already.
struct NeighborEdge {
  FindEdgeOp search;
  ForallOp loop;
};
llvm::SmallVector<NeighborEdge> getNeighborEdges(mlir::Operation *root);

/// Whether the process that has the loop's vertex has what the access is of: a vertex' own values, and those of its
/// out-edges.
bool isLocal(const PlacedAccess &access);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_REDUCTIONS_H
