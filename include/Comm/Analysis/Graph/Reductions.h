//===- Reductions.h - Analyses of reductions --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analyses of StarDist (Nandy and Nasre), sections III and IV, and their consequences.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_GRAPH_REDUCTIONS_H
#define COMM_ANALYSIS_GRAPH_REDUCTIONS_H

#include "Comm/Analysis/Graph/Accesses.h"

#include "llvm/ADT/SetVector.h"

namespace comm::graph {

/// Definition 1. A statement is reduction-exclusive if it leads to exactly one reduction, and what that reduction reads
/// or updates (`elements`) is not accessed outside of it.
struct Exclusive {
  mlir::Operation *reduction = nullptr;
  /// The properties and variables that the reduction updates, and those that its values are computed from.
  llvm::SetVector<mlir::Value> elements;
};

/// Returns the reduction for which the statement is exclusive, or none.
std::optional<Exclusive> getExclusive(mlir::Operation *statement);

/// Definition 2. Returns the properties that the statement reads and does not update, so that values of other processes
/// can be cached while it runs. Empty if the statement is not reduction-exclusive.
llvm::SetVector<mlir::Value> getCacheSafe(mlir::Operation *statement);

/// Definition 3. A pulse: what processes compute on their own, up to the next exchange.
struct Pulse {
  /// Operations of one block, in order. The last one is the loop that needs the exchange, unless the block ends first.
  llvm::SmallVector<mlir::Operation *> operations;
  /// Properties that are read or updated at vertices or edges of other processes, and variables that are combined over
  /// all processes.
  llvm::SetVector<mlir::Value> remoteReads, remoteUpdates, combined;
  /// Properties that are accessed only at own vertices and edges.
  llvm::SetVector<mlir::Value> local;
};

/// Returns the pulses of a block. Loops that contain pulses of their own are not part of one.
llvm::SmallVector<Pulse> getPulses(mlir::Block &block);

/// How the value of a reduction depends on the property that it updates.
enum class Growth {
  None,     // not monotonic
  Constant, // does not depend on it
  Copied,   // is a value of the property
  Shifted,  // is a value of the property plus something that does not depend on it
};

/// Classifies a reduction. It is monotonic if its operator is, and its value rises with the property that it reads. It
/// can then be repeated and brought forward, and reaches the same fixed point.
Growth getGrowth(ReduceOp reduce);

/// A search for an edge in a loop over the neighbors of one of its ends, which already has this edge.
struct NeighborEdge {
  FindEdgeOp search;
  ForallOp loop;
};
llvm::SmallVector<NeighborEdge> getNeighborEdges(mlir::Operation *root);

/// Whether the process that owns the loop's vertex also owns the accessed element: values of the vertex and of its
/// out-edges.
bool isLocal(const PlacedAccess &access);

} // namespace comm::graph

#endif // COMM_ANALYSIS_GRAPH_REDUCTIONS_H
