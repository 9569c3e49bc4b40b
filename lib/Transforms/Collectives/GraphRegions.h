//===- GraphRegions.h - What is in a graph, without the graph ------*- C++ -*-===//
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

/// The messages of the graph, in the order of the region.
llvm::SmallVector<MPIOpInterface> getMessages(CDagOp graph);
/// The yield that ends its region.
YieldOp getYield(CDagOp graph);
/// Puts the blocks of the region in the place of the graph. In a function of the llvm dialect.
void inlineGraph(CDagOp graph);

/// Which messages of graphs may touch the same memory. Answers for the module as it is when it is made; erasing
/// operations that nobody asks for any more is fine.
class GraphMemory {
public:
  explicit GraphMemory(mlir::ModuleOp module);
  /// One of the two may write what the other one touches, in whatever iterations.
  bool mayOverlap(mlir::Operation *a, mlir::Operation *b);

private:
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  std::unique_ptr<MemoryOracle> oracle;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_GRAPHREGIONS_H
