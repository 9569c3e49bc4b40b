//===- CDagExplicit.cpp - Graphs with explicit dependencies ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates comm_cdag_create, comm_cdag_add_..., comm_cdag_execute. The runtime finds graphs that it has compiled
// before, so a loop pays for that only once.
//
//===----------------------------------------------------------------------===//

#include "CDagLowering.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace comm;

namespace {
class ExplicitLowering : public CDagLowering {
public:
  using CDagLowering::CDagLowering;

private:
  void begin() final;
  void end() final;
  void lower(Operation *op) final;
  void addMessage(MPIOpInterface op);
  void addTransfers();

  /// The runtime's comm_cdag **, and its value.
  Value slot, handle;
  /// The runtime's numbers of the operations that define requests.
  DenseMap<Value, Value> numbers;
  SmallVector<int64_t> table;
  llvm::MapVector<Value, int64_t> buffers;
};
} // namespace

void ExplicitLowering::begin() {
  slot = createSlot(pointer);
  runtime.call(builder, loc, "comm_cdag_create", i32, {toABI(graph.getComm()), slot});
  handle = LLVM::LoadOp::create(builder, loc, pointer, slot);
}

void ExplicitLowering::addMessage(MPIOpInterface op) {
  bool isSend = op.getMatching().kind == Matching::Kind::Send;
  Value number = createSlot(i32);
  SmallVector<Value> arguments{handle};
  for (StringRef name : {"buf", "count", "datatype", isSend ? "dest" : "source", "tag"})
    arguments.push_back(toABI(op.getParam(name)));
  arguments.push_back(number);
  runtime.call(builder, op.getLoc(), isSend ? "comm_cdag_add_send" : "comm_cdag_add_recv", i32, arguments);
  numbers[op.getOutcome("request")] = LLVM::LoadOp::create(builder, loc, i32, number);
}

void ExplicitLowering::lower(Operation *op) {
  if (auto after = dyn_cast<AfterOp>(op)) {
    for (Value predecessor : after.getPredecessors())
      runtime.call(builder, op->getLoc(), "comm_cdag_add_dependency", i32,
                   {handle, numbers.lookup(after.getRequest()), numbers.lookup(predecessor)});
    return;
  }
  auto transfer = dyn_cast<TransferOp>(op);
  if (!transfer)
    return addMessage(cast<MPIOpInterface>(op));
  auto number = [&](Value buffer) { return buffers.insert({buffer, buffers.size()}).first->second; };
  int64_t source = number(transfer.getSource()), target = number(transfer.getTarget());
  // The fields of struct comm_cdag_transfer.
  for (uint64_t field : {uint64_t(source), transfer.getSourceRank(), transfer.getSourceOffset(), uint64_t(target),
                         transfer.getTargetRank(), transfer.getTargetOffset(), transfer.getBytes()})
    table.push_back(static_cast<int64_t>(field));
}

void ExplicitLowering::addTransfers() {
  Type i64 = builder.getI64Type();
  Value rows = runtime.makeTable(builder, loc, "comm.transfers", table);
  Value array = createSlot(pointer, buffers.size());
  for (auto [buffer, index] : buffers) {
    Value element = LLVM::GEPOp::create(builder, loc, pointer, pointer, array,
                                        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(constant(i64, index))});
    LLVM::StoreOp::create(builder, loc, buffer, element);
  }
  constexpr size_t fields = 7;
  runtime.call(builder, loc, "comm_cdag_add_transfers", i32,
               {handle, array, rows, constant(i32, static_cast<int64_t>(table.size() / fields))});
}

void ExplicitLowering::end() {
  if (!table.empty())
    addTransfers();
  runtime.call(builder, loc, "comm_cdag_execute", nullptr, {slot, getSite()});
}

std::unique_ptr<CDagLowering> comm::createExplicitLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi) {
  return std::make_unique<ExplicitLowering>(graph, runtime, abi);
}
