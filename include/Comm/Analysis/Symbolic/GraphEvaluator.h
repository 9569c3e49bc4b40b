//===- GraphEvaluator.h - A graph for a number of processes ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comm.cdag is the control flow of one process, whose branches and addresses depend on the rank and the size. For a
// given number of processes, it is executed once for each of them, which yields the messages of all: the input of the
// algorithms in runtime/lib/cdag.
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

  /// In the memory of each process, buffer i begins at address (i + 1) * bufferDistance.
  cdag::Graph graph;
  /// The values that point to the buffers: arguments, stack slots, results of calls.
  llvm::SmallVector<mlir::Value> buffers;

  static constexpr uint64_t bufferDistance = uint64_t(1) << 40;
  /// Returns the buffer of an address in the graph, and the offset in it.
  std::pair<mlir::Value, int64_t> locate(uint64_t address) const {
    return {buffers[address / bufferDistance - 1], static_cast<int64_t>(address % bufferDistance)};
  }
};

/// Executes the graph for each of `ranks` processes. Fails with a diagnostic that names what is unknown at compile time
/// (a value from memory or an argument), or what is not allowed in a graph. `abi` gives the sizes of datatypes.
/// `assume` may return integers for values defined before the graph, which are then the same in all processes.
using AssumeValue = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;
llvm::FailureOr<std::unique_ptr<EvaluatedGraph>> evaluateGraph(CDagOp op, unsigned ranks, const mpi::ABI &abi,
                                                               AssumeValue assume = nullptr);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_GRAPHEVALUATOR_H
