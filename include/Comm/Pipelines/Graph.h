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
  /// Let foralls with races run in order, and warn, instead of an error.
  bool serialize = false;
#define GRAPH_TRANSFORM(name, pass, summary) bool name = true;
#include "Comm/Pipelines/GraphTransforms.def"
  /// Compute with own vertices while ghosts and updates travel (graph-overlap-gathers, graph-overlap-updates, and the
  /// passes of comm-overlap).
  bool overlap = false;
};

/// From a module of the graph dialect to one of the llvm dialect that runs on any number of processes. As text:
/// `graph-to-llvm{abi=openmpi4}`.
void buildGraphPipeline(mlir::OpPassManager &pm, const GraphOptions &options);

void registerGraphPipeline();

} // namespace comm

#endif // COMM_PIPELINES_GRAPH_H
