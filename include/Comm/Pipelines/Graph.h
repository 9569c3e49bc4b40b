//===- Graph.h - The pipeline of graph programs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PIPELINES_GRAPH_H
#define COMM_PIPELINES_GRAPH_H

#include "Comm/Conversion/GraphExchange.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace comm {

struct GraphOptions {
  /// The function to compile; empty: the one that no other function calls.
  std::string function;
  /// The name of the MPI implementation (mpi::ABI::all()).
  std::string abi;
  /// Run foralls with races sequentially and warn, instead of failing.
  bool serialize = false;
#define GRAPH_TRANSFORM(name, pass, summary) bool name = true;
#define GRAPH_OVERLAP(name, pass, summary) bool name = true;
#include "Comm/Pipelines/GraphTransforms.def"
  /// Process own vertices while ghost values and updates are in transit (GRAPH_OVERLAP, and the passes of
  /// comm-overlap).
  bool overlap = false;
  /// How these loops exchange.
  GraphExchange exchange = GraphExchange::Messages;
};

/// Builds a pipeline from the graph dialect to the llvm dialect, for any number of processes. In text form:
/// `graph-to-llvm{abi=openmpi4}`.
void buildGraphPipeline(mlir::OpPassManager &pm, const GraphOptions &options);

void registerGraphPipeline();

} // namespace comm

#endif // COMM_PIPELINES_GRAPH_H
