//===- GraphRegions.h - The region of a graph -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_COLLECTIVES_GRAPHREGIONS_H
#define COMM_LIB_TRANSFORMS_COLLECTIVES_GRAPHREGIONS_H

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace comm {

/// Returns the messages of the graph, in the order of the region.
llvm::SmallVector<MPIOpInterface> getMessages(CDagOp graph);
/// Returns the yield that ends its region.
YieldOp getYield(CDagOp graph);
/// Replaces the graph by the blocks of its region, in a function of the llvm dialect.
void inlineGraph(CDagOp graph);

/// Tells which messages of graphs may touch the same memory. Answers refer to the module as it was on construction.
/// Operations may be erased if they are no longer queried.
class GraphMemory {
public:
  explicit GraphMemory(mlir::ModuleOp module);
  /// Returns true if one of the two may write what the other one touches, in any iterations.
  bool mayOverlap(mlir::Operation *a, mlir::Operation *b);

private:
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  std::unique_ptr<MemoryOracle> oracle;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_GRAPHREGIONS_H
