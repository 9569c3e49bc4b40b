//===- CDagToSST.cpp - Graphs in single-transfer form ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "Comm/Analysis/Symbolic/GraphEvaluator.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"

#include "Comm/CDag/Compile.h"
#include "Comm/CDag/Dataflow.h"
#include "Comm/CDag/Match.h"

#include "mlir/IR/Remarks.h"

#include <map>

namespace comm {
#define GEN_PASS_DEF_COMMCDAGTOSST
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
/// Larger graphs are not useful to look at.
constexpr size_t maxTransfers = 1 << 20;

struct CDagToSST : public comm::impl::CommCDagToSSTBase<CDagToSST> {
  using CommCDagToSSTBase::CommCDagToSSTBase;
  void runOnOperation() final;

private:
  LogicalResult convert(CDagOp op, const mpi::ABI &known);
  LogicalResult describe(CDagOp op, EvaluatedGraph &evaluated);
};
} // namespace

/// Reports what the whole compilation finds, such as "gather, 3 messages".
LogicalResult CDagToSST::describe(CDagOp op, EvaluatedGraph &evaluated) {
  cdag::Schedule schedule;
  cdag::CompileStats stats;
  if (cdag::Error error = cdag::compile(evaluated.graph, cdag::CompileOptions(), schedule, &stats))
    return op.emitOpError() << "for " << ranks.getValue() << " processes: " << error.text;
  std::map<std::string, unsigned> found;
  for (const cdag::Collective &collective : schedule.collectives)
    ++found[cdag::name(collective.kind)];
  std::string text;
  for (const auto &[name, count] : found)
    text += (text.empty() ? "" : ", ") + (count > 1 ? std::to_string(count) + " " : "") + name;
  if (stats.keptMessages)
    text += (text.empty() ? "" : ", ") + std::to_string(stats.keptMessages) + " messages of no collective";
  numMessages += stats.messages;
  remark::analysis(op.getLoc(),
                   remark::RemarkOpts::name("Detected").category("comm-cdag-to-sst").function(getFunctionName(op)))
      << "the graph of " << std::to_string(stats.messages) << " messages is, for " << std::to_string(ranks.getValue())
      << " processes: " << (text.empty() ? std::string("nothing") : text);
  return success();
}

LogicalResult CDagToSST::convert(CDagOp op, const mpi::ABI &known) {
  if (op.getNumResults() != 0)
    return op.emitOpError() << "has results, which the single-transfer form does not compute";
  FailureOr<std::unique_ptr<EvaluatedGraph>> evaluated = evaluateGraph(op, ranks, known);
  if (failed(evaluated) || failed(describe(op, **evaluated)))
    return failure();
  EvaluatedGraph &graph = **evaluated;
  cdag::Matching matching;
  if (cdag::Error error = cdag::matchMessages(graph.graph, matching))
    return op.emitOpError() << "for " << ranks.getValue() << " processes: " << error.text;
  cdag::SingleTransfers form;
  cdag::propagate(graph.graph, matching, maxTransfers, form);
  if (!form.complete)
    return op.emitOpError() << "has more than " << maxTransfers << " transfers for " << ranks.getValue()
                            << " processes";

  OpBuilder builder(op);
  auto replacement = CDagOp::create(builder, op.getLoc(), TypeRange(), op.getComm(), /*implied=*/false);
  builder.createBlock(&replacement.getBody());
  for (const cdag::Transfer &transfer : form.transfers) {
    auto [source, sourceOffset] = graph.locate(transfer.srcAddr);
    auto [target, targetOffset] = graph.locate(transfer.dstAddr);
    TransferOp::create(builder, op.getLoc(), source, target, transfer.src, sourceOffset, transfer.dst, targetOffset,
                       transfer.size);
  }
  YieldOp::create(builder, op.getLoc());
  numTransfers += form.transfers.size();
  markChanged(op);
  op.erase();
  return success();
}

void CDagToSST::runOnOperation() {
  ModuleOp module = getOperation();
  if (ranks < 1 || ranks > 4096) {
    module.emitError() << "comm-cdag-to-sst needs the number of processes: ranks=1 to ranks=4096, not "
                       << ranks.getValue();
    return signalPassFailure();
  }
  const mpi::ABI *known = lookupABIOrStandard(abi, module);
  if (!known)
    return signalPassFailure();
  SmallVector<CDagOp> graphs;
  module.walk([&](CDagOp op) { graphs.push_back(op); });
  for (CDagOp op : graphs)
    if (failed(convert(op, *known)))
      return signalPassFailure();
}
