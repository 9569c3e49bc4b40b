//===- CDagLowering.cpp - Lower a graph to runtime calls ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CDagLowering.h"
#include "GraphRegions.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/FrameSlots.h"

using namespace mlir;
using namespace comm;

CDagLowering::CDagLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi)
    : graph(graph), runtime(runtime), abi(abi), builder(graph), loc(graph.getLoc()), i32(builder.getI32Type()),
      pointer(LLVM::LLVMPointerType::get(graph.getContext())) {}

Value CDagLowering::toABI(Value value) {
  auto handleClass = getHandleClass(value.getType());
  if (!handleClass)
    return value;
  return CastOp::create(builder, loc, getHandleType(*handleClass, abi, builder.getContext()), value);
}

SmallVector<Value> CDagLowering::toABI(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [&](Value value) { return toABI(value); });
}

Value CDagLowering::getSite() {
  SourcePosition position = getSourcePosition(loc);
  std::string site = toString(position);
  if (position.line)
    site += ":" + std::to_string(position.column);
  std::string function = getFunctionName(graph).str();
  return runtime.getString(builder, loc, function.empty() ? site : site + " (" + function + ")");
}

Value CDagLowering::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value CDagLowering::createSlot(Type type, int64_t count) { return createFrameSlot(graph, loc, type, count); }

void CDagLowering::run() {
  SmallVector<Operation *> ops;
  graph.getBody().walk([&](Operation *op) {
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
      if (mpiOp.getMatching().kind != Matching::Kind::None || mpiOp.isOneSided() || isa<ReduceLocalOp>(op))
        ops.push_back(op);
    if (isa<AfterOp, TransferOp>(op))
      ops.push_back(op);
  });
  builder.setInsertionPoint(graph);
  begin();
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    lower(op);
  }
  // Users follow in textual order, so erase in reverse.
  for (Operation *op : llvm::reverse(ops))
    op->erase();

  builder.setInsertionPoint(getYield(graph));
  end();
  inlineGraph(graph);
}

//===----------------------------------------------------------------------===//
// Graphs that cannot be lowered
//===----------------------------------------------------------------------===//

static LogicalResult verifyParam(MPIOpInterface op, StringRef name) {
  Value value = op.getParam(name);
  if (!value || isa<BaseMemRefType, IndexType>(value.getType()))
    return op.emitOpError() << "needs '" << name
                            << "' in the types of the llvm dialect: convert memrefs and indices first";
  if (name.ends_with("count") && !value.getType().isInteger(32))
    return op.emitOpError() << "has a count of type " << value.getType()
                            << ": the runtime's functions take int, as MPI_Send does";
  return success();
}

static LogicalResult verifyMember(MPIOpInterface op) {
  SmallVector<StringRef> names;
  if (op.isOneSided())
    names = {"origin_addr", "origin_count", "origin_datatype", "target_disp"};
  else if (isa<ReduceLocalOp>(op))
    names = {"inbuf", "inoutbuf", "count", "datatype"};
  else if (op.getMatching().kind != Matching::Kind::None)
    names = {"buf", "count", "datatype"};
  for (StringRef name : names)
    if (failed(verifyParam(op, name)))
      return failure();
  if (!op.isOneSided())
    return success();
  if (!op.getRemoteAccess().isSameAtBothEnds())
    return op.emitOpError()
           << "has different counts or datatypes at its two ends: the runtime requires them to be equal";
  if (Value displacement = op.getRemoteAccess().displacement; !displacement.getType().isInteger(64))
    return op.emitOpError() << "has a displacement of type " << displacement.getType()
                            << ": the runtime's functions take MPI_Aint, which has 64 bits";
  return success();
}

static LogicalResult verifyTransfer(CDagOp graph, TransferOp op) {
  if (graph.getImplied() || !graph.getBody().hasOneBlock())
    return op.emitOpError() << "can be lowered only in a graph of one block without 'implied' dependencies";
  for (Value buffer : {op.getSource(), op.getTarget()})
    if (!isa<LLVM::LLVMPointerType>(buffer.getType()) || graph.getBody().isAncestor(buffer.getParentRegion()))
      return op.emitOpError() << "needs buffers from outside of the graph, in the types of the llvm dialect: convert "
                              << "memrefs first";
  return success();
}

LogicalResult comm::verifyLowerable(CDagOp graph) {
  if (!graph->getParentOfType<LLVM::LLVMFuncOp>() || !isa<LLVM::LLVMFuncOp>(graph->getParentOp()))
    return graph.emitOpError() << "can be lowered only in the body of an llvm.func: convert the function first";
  Operation *transfer = nullptr, *other = nullptr;
  WalkResult result = graph.getBody().walk([&](Operation *op) -> WalkResult {
    LogicalResult result = success();
    if (auto each = dyn_cast<TransferOp>(op)) {
      transfer = op;
      result = verifyTransfer(graph, each);
    } else if (isa<AfterOp>(op)) {
      if (graph.getImplied())
        return op->emitOpError()
               << "cannot be lowered with 'implied' dependencies: the runtime supports one kind or the other, not both";
    } else if (auto member = dyn_cast<MPIOpInterface>(op)) {
      if (isa<ReduceLocalOp>(op) && !graph.getImplied())
        return op->emitOpError() << "has no request for comm.after to order it by: it needs 'implied' dependencies";
      if (member.getMatching().kind != Matching::Kind::None)
        other = op;
      result = verifyMember(member);
    }
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (transfer && other)
    return other->emitOpError() << "cannot be lowered together with comm.transfer: no order is defined between them";
  return success();
}
