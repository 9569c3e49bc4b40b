//===- DetectCollectives.cpp - Replace graphs by collectives --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "CollectiveBuilder.h"
#include "CollectiveProof.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "FixedCollectives.h"

#include "Comm/Analysis/Symbolic/CrossCheck.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"

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
  bool rewriteForRanks(CDagOp graph, const mpi::ABI &known, GraphMemory &memory, RuntimeCalls &globals);
};
} // namespace

static remark::RemarkOpts remarkOpts(StringRef name, Operation *op) {
  return remark::RemarkOpts::name(name).category("comm-detect-collectives").function(getFunctionName(op));
}

/// Returns true if nothing in the graph except for its messages is needed.
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
  // A loop without messages might not terminate.
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

/// Returns true if different buffers are different memory wherever one of them is a receive buffer.
static bool areBuffersApart(CDagOp graph, GraphMemory &memory) {
  auto getRoot = [](MPIOpInterface message) {
    Value pointer = message.getParam("buf");
    return pointer ? getBasePointer(pointer) : pointer;
  };
  SmallVector<MPIOpInterface> messages = getMessages(graph);
  auto isSend = [](MPIOpInterface op) { return op.getMatching().kind == Matching::Kind::Send; };
  for (auto [i, a] : llvm::enumerate(messages))
    for (MPIOpInterface b : ArrayRef<MPIOpInterface>(messages).drop_front(i + 1)) {
      bool areApart = (isSend(a) && isSend(b)) || getRoot(a) == getRoot(b) ||
                      (graph.getDisjoint() && isSend(a) != isSend(b)) || !memory.mayOverlap(a, b);
      if (!areApart)
        return false;
    }
  return true;
}

/// Executes the collectives if the communicator has that many processes, otherwise the graph.
bool DetectCollectives::rewriteForRanks(CDagOp graph, const mpi::ABI &known, GraphMemory &memory,
                                        RuntimeCalls &globals) {
  Location loc = getMessages(graph).empty() ? graph.getLoc() : getMessages(graph).front().getLoc();
  std::string number = std::to_string(ranks.getValue()), reason;
  std::optional<std::vector<FixedCollective>> found;
  if (!isa<LLVM::LLVMFuncOp>(graph->getParentOp()))
    reason = "its function is not of the llvm dialect";
  else if (!graph.getComm())
    reason = "it has no communicator";
  else if (!isOnlyMessages(graph))
    reason = "it contains more than messages";
  else if (!areBuffersApart(graph, memory))
    reason = "its buffers may overlap";
  else
    found = findFixedCollectives(graph, ranks, known, reason);
  if (!found) {
    remark::missed(loc, remarkOpts("NoCollective", graph))
        << "the graph at " << toString(getSourcePosition(loc)) << " is not a collective of " << number
        << " processes that is known at compile time: " << reason;
    return false;
  }
  OpBuilder builder(graph);
  Value size = createMPIOp(builder, loc, "MPI_Comm_size", Mode::blocking, {{"comm", graph.getComm()}}, {"size"})
                   .getOutcome("size");
  Type i32 = builder.getI32Type();
  Value wanted = LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(ranks));
  Value isThat = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, size, wanted);
  Block *before = graph->getBlock(), *otherwise = before->splitBlock(graph),
        *after = otherwise->splitBlock(graph->getNextNode());
  builder.setInsertionPointToEnd(otherwise);
  LLVM::BrOp::create(builder, loc, ValueRange(), after);
  Block *collectives = builder.createBlock(otherwise);
  std::string names;
  for (const FixedCollective &collective : *found) {
    MPIOpInterface built = buildFixedCollective(builder, loc, globals, collective, graph.getComm());
    names += (names.empty() ? "" : ", ") + getDisplayName(built).str();
  }
  LLVM::BrOp::create(builder, loc, ValueRange(), after);
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, isThat, collectives, otherwise);
  remark::passed(loc, remarkOpts("Collective", graph))
      << "the messages from " << toString(getSourcePosition(loc)) << " on are " << names << " if there are " << number
      << " processes";
  markChanged(graph);
  ++numFixed;
  return true;
}

void DetectCollectives::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<CDagOp> graphs;
  module.walk([&](CDagOp graph) { graphs.push_back(graph); });
  if (graphs.empty())
    return markAllAnalysesPreserved();
  const mpi::ABI *known = lookupABIOrStandard(abi, module);
  if (!known)
    return signalPassFailure();
  if (ranks == 1 || ranks > 4096) {
    module.emitError() << "comm-detect-collectives takes ranks=2 to ranks=4096, not " << ranks.getValue();
    return signalPassFailure();
  }
  GraphMemory memory(module);
  RuntimeCalls globals(module);
  for (CDagOp graph : graphs)
    if (!rewrite(graph, *known, memory) && ranks != 0)
      rewriteForRanks(graph, *known, memory, globals);
}
