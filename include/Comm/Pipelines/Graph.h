//===- Graph.h - The pipeline of graph programs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PIPELINES_GRAPH_H
#define COMM_PIPELINES_GRAPH_H

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace comm {

struct GraphOptions {
  /// The function that is the program; empty: the one that no other calls.
  std::string function;
  /// The name of the MPI implementation (mpi::ABI::all()).
  std::string abi;
  /// Take edges from the loops that have them (graph-reorder-neighborhoods).
  bool reorder = true;
  /// Let filters visit what is true (graph-track-frontiers).
  bool frontiers = true;
  /// Let processes go on by themselves in monotonic fixed points (graph-aggregate-pulses).
  bool aggregate = true;
  /// Let the best values come first in them (graph-order-by-priority).
  bool priority = true;
  /// Let many vertices that changed be looked for by their neighbors (graph-choose-direction).
  bool direction = true;
  /// Join vertices that copy the least number (graph-join-copies).
  bool join = true;
  /// Compute once what all edges from a vertex share (graph-share-terms).
  bool terms = true;
  /// Gather values of neighbors in tiles (graph-tile-gathers).
  bool tiles = true;
  /// Visit triangles in the order of numbers of edges (graph-order-by-degree).
  bool degrees = true;
  /// Gather from own vertices while ghosts travel (graph-overlap-gathers, and the passes of comm-overlap).
  bool overlap = false;
};

/// From a module of the graph dialect to one of the llvm dialect that runs on any number of processes. As text:
/// `graph-to-llvm{abi=openmpi4}`.
void buildGraphPipeline(mlir::OpPassManager &pm, const GraphOptions &options);

void registerGraphPipeline();

} // namespace comm

#endif // COMM_PIPELINES_GRAPH_H
