//===- CDagToRuntime.cpp - Lower graphs to runtime calls ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// comm/cdag.h: graphs with implied dependencies are its phases, the others its graphs (CDagExplicit.cpp).
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Transforms/Passes.h"

#include "CDagLowering.h"

#include "Comm/Dialect/Comm/Utils/CSignature.h"

#include "Comm/Transforms/Utils/ControlFlow.h"

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

/// Calls between comm_cdag_phase_begin and comm_cdag_phase_end record the operations that they replace.
class PhaseLowering : public CDagLowering {
public:
  using CDagLowering::CDagLowering;

private:
  void begin() final;
  void end() final { runtime.call(builder, loc, "comm_cdag_phase_end", i32, {}); }
  void lower(Operation *op) final;
  Value getBytes(ReduceLocalOp reduce);
};
} // namespace

/// Returns the size of a reduction's buffer with a predefined datatype.
Value PhaseLowering::getBytes(ReduceLocalOp reduce) {
  Type i64 = builder.getI64Type();
  int64_t extent = abi.getDatatypeExtent(getConstantName(reduce.getDatatype())).value_or(0);
  Value count = LLVM::SExtOp::create(builder, loc, i64, reduce.getCount());
  return LLVM::MulOp::create(builder, loc, count, constant(i64, extent));
}

void PhaseLowering::begin() {
  if (!graph.getWin()) {
    runtime.call(builder, loc, "comm_cdag_phase_begin", i32, {getSite(), toABI(graph.getComm())});
    return;
  }
  runtime.call(builder, loc, "comm_cdag_phase_begin_fences", i32,
               {getSite(), toABI(graph.getWin()), graph.getFirstAssert(), graph.getLastAssert(),
                constant(i32, graph.getEpochs())});
}

void PhaseLowering::lower(Operation *op) {
  auto mpiOp = cast<MPIOpInterface>(op);
  auto record = [&](StringRef function, ArrayRef<Value> arguments) {
    runtime.call(builder, op->getLoc(), function, i32, toABI(arguments));
  };
  RemoteAccess access = mpiOp.getRemoteAccess();
  if (access.kind != RemoteAccess::Kind::None)
    return record(access.kind == RemoteAccess::Kind::Get ? "comm_cdag_phase_get" : "comm_cdag_phase_put",
                  {access.origin, access.count, access.datatype, access.target, access.displacement, access.window});
  if (auto reduce = dyn_cast<ReduceLocalOp>(op)) {
    if (op->hasAttr(kTemporaryAttrName))
      record("comm_cdag_phase_temporary", {reduce.getInbuf(), getBytes(reduce)});
    return record("comm_cdag_phase_reduce",
                  {reduce.getInbuf(), reduce.getInoutbuf(), reduce.getCount(), reduce.getDatatype(), reduce.getOp()});
  }
  bool isSend = mpiOp.getMatching().kind == Matching::Kind::Send;
  SmallVector<Value> arguments;
  for (StringRef name : {"buf", "count", "datatype", isSend ? "dest" : "source", "tag"})
    arguments.push_back(mpiOp.getParam(name));
  record(isSend ? "comm_cdag_phase_send" : "comm_cdag_phase_recv", arguments);
}

std::unique_ptr<CDagLowering> comm::createPhaseLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi) {
  return std::make_unique<PhaseLowering>(graph, runtime, abi);
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
                       << ", which determines how handles are passed to the runtime: name the MPI implementation in it";
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
    (graph.getImplied() ? createPhaseLowering : createExplicitLowering)(graph, runtime, *known)->run();
    ++numLowered;
  }
}
