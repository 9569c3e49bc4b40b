//===- DetectCollectives.cpp - Graphs that are known to be collectives -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "CollectiveBuilder.h"
#include "CollectiveProof.h"
#include "Interval.h"

#include "Comm/Analysis/CrossCheck.h"
#include "Comm/Conversion/CSignature.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"

namespace comm {
#define GEN_PASS_DEF_COMMDETECTCOLLECTIVES
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct DetectCollectives : public comm::impl::CommDetectCollectivesBase<DetectCollectives> {
  using CommDetectCollectivesBase::CommDetectCollectivesBase;
  void runOnOperation() final;

private:
  bool rewrite(CDagOp graph, const mpi::ABI &known, GraphMemory &memory);
};
} // namespace

static remark::RemarkOpts remarkOpts(StringRef name, Operation *op) {
  return remark::RemarkOpts::name(name).category("comm-detect-collectives").function(getFunctionName(op));
}

/// What is left of the graph without its messages computes nothing that anybody needs.
static bool isOnlyMessages(CDagOp graph) {
  if (!graph->use_empty())
    return false;
  bool onlyMessages = true;
  for (Block &block : graph.getBody())
    for (Operation &op : block) {
      auto message = dyn_cast<MPIOpInterface>(op);
      auto load = dyn_cast<LLVM::LoadOp>(op);
      onlyMessages &= (message && message.getMatching().kind != Matching::Kind::None) ||
                      (load && !load.getVolatile_()) || isMemoryEffectFree(&op);
    }
  if (!onlyMessages || graph.getBody().hasOneBlock())
    return onlyMessages;
  // A loop without messages is one that nobody has shown to end.
  DominanceInfo dominance(graph);
  CFGLoopInfo loops(dominance.getDomTree(&graph.getBody()));
  for (CFGLoop *loop : loops.getLoopsInPreorder())
    onlyMessages &= llvm::any_of(loop->getBlocks(), [](Block *block) {
      return llvm::any_of(*block, [](Operation &op) { return isa<MPIOpInterface>(op); });
    });
  return onlyMessages;
}

bool DetectCollectives::rewrite(CDagOp graph, const mpi::ABI &known, GraphMemory &memory) {
  Obstacle obstacle;
  bool disagrees = false;
  std::optional<CollectiveProof> proof = proveCollectives(graph, known, memory, obstacle, disagrees);
  if (!proof) {
    remark::missed(getObstacleLoc(graph, obstacle), remarkOpts("NoCollective", graph))
        << describeObstacle(graph, obstacle);
    ++numLeft;
    numDisagreements += disagrees;
    return false;
  }
  numChecked += proof->numChecked;

  OpBuilder builder(graph->getContext());
  builder.setInsertionPointAfter(graph);
  for (const CollectivePlan &plan : proof->plans) {
    Location loc = plan.messages.front()->getLoc();
    CollectiveBuilder collective(builder, loc, proof->symbolic->symbols, graph.getComm());
    MPIOpInterface built = collective.build(plan);
    remark::passed(loc, remarkOpts("Collective", graph))
        << "the messages from " << toString(getSourcePosition(loc)) << " on are " << getDisplayName(built)
        << ", for any number of processes (of 1 to " << std::to_string(maxCheckedRanks) << " tried, "
        << std::to_string(proof->numChecked) << " agree)";
    ++numCollectives;
  }
  markChanged(graph);
  if (isOnlyMessages(graph)) {
    graph.erase();
    return true;
  }
  for (MPIOpInterface message : getMessages(graph))
    message.erase();
  inlineGraph(graph);
  return true;
}

void DetectCollectives::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<CDagOp> graphs;
  module.walk([&](CDagOp graph) { graphs.push_back(graph); });
  if (graphs.empty())
    return markAllAnalysesPreserved();
  StringRef name = getABIName(abi, module);
  const mpi::ABI *known = lookupABI(name.empty() ? "mpi-abi" : name, module);
  if (!known)
    return signalPassFailure();
  GraphMemory memory(module);
  for (CDagOp graph : graphs)
    rewrite(graph, *known, memory);
}
