//===- GraphEvaluator.h - A graph for a number of processes ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comm.cdag is control flow of one process, whose branches and addresses depend on the rank and the size. For a given
// number of processes it is executed once for each, which gives the messages of all: the graph that the algorithms of
// runtime/lib/cdag take.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_GRAPHEVALUATOR_H
#define COMM_ANALYSIS_SYMBOLIC_GRAPHEVALUATOR_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/MPI/ABI.h"

#include "Comm/CDag/Graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>

namespace comm {

struct EvaluatedGraph {
  explicit EvaluatedGraph(unsigned ranks) : graph(ranks) {}

  /// Processes' memory: buffer i begins at address (i + 1) * bufferDistance in each.
  cdag::Graph graph;
  /// The values that buffers are parts of: arguments, stack slots, results of calls.
  llvm::SmallVector<mlir::Value> buffers;

  static constexpr uint64_t bufferDistance = uint64_t(1) << 40;
  /// The buffer and the offset in it that an address of the graph means.
  std::pair<mlir::Value, int64_t> locate(uint64_t address) const {
    return {buffers[address / bufferDistance - 1], static_cast<int64_t>(address % bufferDistance)};
  }
};

/// Executes the graph for each of `ranks` processes. Fails, with a diagnostic that names what is not known ahead of
/// time (a value from memory or an argument), or what makes no graph. `abi` gives the sizes of datatypes.
/// `assume` may give integers from before the graph, which then are the same in all processes.
using AssumeValue = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;
llvm::FailureOr<std::unique_ptr<EvaluatedGraph>> evaluateGraph(CDagOp op, unsigned ranks, const mpi::ABI &abi,
                                                               AssumeValue assume = nullptr);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_GRAPHEVALUATOR_H
