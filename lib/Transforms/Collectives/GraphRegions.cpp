//===- GraphRegions.cpp - The region of a graph ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphRegions.h"

#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

SmallVector<MPIOpInterface> comm::getMessages(CDagOp graph) {
  SmallVector<MPIOpInterface> messages;
  graph.getBody().walk([&](MPIOpInterface op) {
    if (op.getMatching().kind != Matching::Kind::None)
      messages.push_back(op);
  });
  return messages;
}

YieldOp comm::getYield(CDagOp graph) {
  for (Block &block : graph.getBody())
    if (auto end = dyn_cast<YieldOp>(block.back()))
      return end;
  return nullptr;
}

void comm::inlineGraph(CDagOp graph) {
  // Insert the region's blocks between the code before the graph and the code after it.
  YieldOp yield = getYield(graph);
  Location loc = graph.getLoc();
  Block *before = graph->getBlock(), *after = before->splitBlock(graph->getNextNode()),
        *entry = &graph.getBody().front();
  for (auto [result, value] : llvm::zip(graph.getResults(), yield.getOperands()))
    result.replaceAllUsesWith(value);
  before->getParent()->getBlocks().splice(after->getIterator(), graph.getBody().getBlocks());
  OpBuilder builder(yield);
  createBranch(builder, loc, {after, {}});
  yield.erase();
  graph.erase();
  builder.setInsertionPointToEnd(before);
  createBranch(builder, loc, {entry, {}});
}

GraphMemory::GraphMemory(ModuleOp module) : copy(cast<ModuleOp>(module->clone(mapping))) {
  // The oracle sees calls in functions, not in graphs, so inline the graphs.
  SmallVector<CDagOp> graphs;
  copy->walk([&](CDagOp graph) {
    if (isa<LLVM::LLVMFuncOp>(graph->getParentOp()))
      graphs.push_back(graph);
  });
  for (CDagOp graph : graphs)
    inlineGraph(graph);
  oracle = MemoryOracle::create(*copy);
}

bool GraphMemory::mayOverlap(Operation *a, Operation *b) {
  Operation *first = mapping.lookupOrNull(a), *second = mapping.lookupOrNull(b);
  return !first || !second || oracle->mayConflict(first, second, /*acrossIterations=*/true);
}
