//===- CDagToRuntime.cpp - Graphs are executed by the runtime --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// comm/cdag.h: between comm_cdag_phase_begin and comm_cdag_phase_end the calls that stand for messages record them.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "GraphRegions.h"
#include "RuntimeCalls.h"

#include "Comm/Conversion/CSignature.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/PatternMatch.h"

namespace comm {
#define GEN_PASS_DEF_COMMCDAGTORUNTIME
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct CDagToRuntime : public comm::impl::CommCDagToRuntimeBase<CDagToRuntime> {
  using CommCDagToRuntimeBase::CommCDagToRuntimeBase;
  void runOnOperation() final;
};

/// Lowers one graph.
class GraphLowering {
public:
  GraphLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi)
      : graph(graph), runtime(runtime), abi(abi), builder(graph), i32(builder.getI32Type()) {}
  void run();

private:
  Value toABI(Value value);
  std::string getSite();
  void record(MPIOpInterface message);

  CDagOp graph;
  RuntimeCalls &runtime;
  const mpi::ABI &abi;
  OpBuilder builder;
  Type i32;
};
} // namespace

/// Handles as the implementation passes them, everything else as it is.
Value GraphLowering::toABI(Value value) {
  auto handleClass = getHandleClass(value.getType());
  if (!handleClass)
    return value;
  return CastOp::create(builder, graph.getLoc(), getHandleType(*handleClass, abi, builder.getContext()), value);
}

/// "solver.c:12:3": the same in all processes, for they run the same program.
std::string GraphLowering::getSite() {
  SourcePosition position = getSourcePosition(graph.getLoc());
  std::string site = toString(position);
  if (position.line)
    site += ":" + std::to_string(position.column);
  std::string function = getFunctionName(graph).str();
  return function.empty() ? site : site + " (" + function + ")";
}

void GraphLowering::record(MPIOpInterface message) {
  builder.setInsertionPoint(message);
  bool isSend = message.getMatching().kind == Matching::Kind::Send;
  SmallVector<Value> arguments;
  for (StringRef name : {"buf", "count", "datatype", isSend ? "dest" : "source", "tag"})
    arguments.push_back(toABI(message.getParam(name)));
  runtime.call(builder, message.getLoc(), isSend ? "comm_cdag_phase_send" : "comm_cdag_phase_recv", i32, arguments);
  message.erase();
}

void GraphLowering::run() {
  for (MPIOpInterface message : getMessages(graph))
    record(message);

  Location loc = graph.getLoc();
  builder.setInsertionPoint(graph);
  runtime.call(builder, loc, "comm_cdag_phase_begin", i32,
               {runtime.getString(builder, loc, getSite()), toABI(graph.getComm())});

  builder.setInsertionPoint(getYield(graph));
  runtime.call(builder, loc, "comm_cdag_phase_end", i32, {});
  inlineGraph(graph);
}

/// Fails with an error unless the runtime's phases can express the graph.
static LogicalResult verifyLowerable(CDagOp graph) {
  if (!graph->getParentOfType<LLVM::LLVMFuncOp>() || !isa<LLVM::LLVMFuncOp>(graph->getParentOp()))
    return graph.emitOpError() << "can be lowered in the body of an llvm.func alone: convert the function first";
  if (!graph.getImplied())
    return graph.emitOpError() << "has no 'implied' dependencies: the runtime's phases have no others yet";
  WalkResult result = graph.getBody().walk([&](Operation *op) -> WalkResult {
    if (isa<AfterOp, TransferOp>(op))
      return op->emitOpError() << "cannot be lowered to the runtime's phases yet, which take messages alone";
    auto message = dyn_cast<MPIOpInterface>(op);
    if (!message || message.getMatching().kind == Matching::Kind::None)
      return WalkResult::advance();
    for (StringRef name : {"buf", "count", "datatype"}) {
      Value value = message.getParam(name);
      if (!value || isa<BaseMemRefType, IndexType>(value.getType()))
        return message.emitOpError() << "needs '" << name
                                     << "' in the types of the llvm dialect: convert memrefs and indices first";
      if (name == "count" && !value.getType().isInteger(32))
        return message.emitOpError() << "has a count of type " << value.getType()
                                     << ": the runtime's phases take int, as MPI_Send does";
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void CDagToRuntime::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<CDagOp> graphs;
  module.walk([&](CDagOp graph) { graphs.push_back(graph); });
  if (graphs.empty())
    return markAllAnalysesPreserved();
  StringRef name = getABIName(abi, module);
  if (name.empty()) {
    module.emitError() << "has no attribute " << kABIAttrName
                       << ", which tells how handles are passed to the runtime: name the MPI implementation in it";
    return signalPassFailure();
  }
  const mpi::ABI *known = lookupABI(name, module);
  if (!known)
    return signalPassFailure();
  for (CDagOp graph : graphs)
    if (failed(verifyLowerable(graph)))
      return signalPassFailure();
  RuntimeCalls runtime(module);
  for (CDagOp graph : graphs) {
    markChanged(graph);
    GraphLowering(graph, runtime, *known).run();
    ++numLowered;
  }
}
