//===- EmitGathers.cpp - Sums over neighbors for all vertices at once ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Analysis/Graph/Gathers.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using graph::Domain;

/// Gathers for all vertices before the loop over them. Returns false if the loop is not a gather.
bool Emitter::emitGather(graph::ForallOp op) {
  std::string reason;
  std::optional<graph::Gather> what = graph::getGather(op, reason);
  if (!what || what->vertices != loop->op)
    return false;
  graph::AccumulateOp accumulate = what->accumulate;
  Type type = accumulate.getValue().getType();
  Value property = values.lookup(what->property).value;
  Value &gathered = loop->gathered[op];
  if (!gathered) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop->anchor);
    Block *inner = std::exchange(sweepEntry, nullptr);
    SmallVector<Value> arguments = {runValue, code.integer(nextSite++),
                                    code.integer(op.getDomain() == Domain::in_neighbors, 32),
                                    code.integer(int64_t(accumulate.getKind()), 32), property};
    auto whole = [&]() -> Value { return code.call("comm_graph_run_gather", code.pointer(), arguments); };
    if (op->hasAttr(graph::kOverlappedAttrName)) {
      if (hasWindow())
        mlir::remark::passed(op.getLoc(), mlir::remark::RemarkOpts::name("overlap").category(kGathersPass))
            << "ghosts are put into windows";
      Value travels = code.isTrue(code.call("comm_graph_run_travels", code.i32(), {runValue, property}));
      gathered = choose(
          travels, code.pointer(),
          [&] {
            bool isReduced = llvm::is_contained(loop->snapshots, what->property);
            return hasWindow() ? emitPutGather(arguments, type, isReduced) : emitTravelingGather(arguments, type);
          },
          [&] {
            code.call("comm_graph_run_refresh", Type(), property);
            return whole();
          });
    } else {
      loop->refreshed.insert({property, type});
      gathered = whole();
    }
    sweepEntry = inner;
  }
  Value value = code.load(type, code.element(here(gathered), type, get(op.getCenter()).local));
  Value memory = getValue(accumulate.getCell());
  Value old = code.load(type, memory);
  code.store(combine(accumulate.getKind(), old, value, accumulate), memory);
  return true;
}

/// Ghosts arrive through an operation that Comm's passes can see. The part of the gather that reads own vertices does
/// not wait for them; the passes detect this from the declared effects of the functions.
Value Emitter::emitTravelingGather(ArrayRef<Value> arguments, Type type) {
  Value site = arguments[1], property = arguments.back();
  // Load this before the calls that return memory that nothing else accesses.
  Value data = code.load(code.pointer(), property);
  Value plan = code.call("comm_graph_run_exchange", code.pointer(), runValue);
  SmallVector<Value> counts;
  for (int64_t field = 0; field < 4; ++field)
    counts.push_back(code.load(code.pointer(), code.field(plan, 8 * field)));
  Value result = code.call("comm_graph_run_gather_begin", code.pointer(), arguments);
  Value sent = code.call("comm_graph_run_pack", code.pointer(), {runValue, site, property});
  Value arrivals = code.call("comm_graph_run_arrivals", code.pointer(), {runValue, site, property});
  emitExchange(sent, arrivals, counts, type);
  // Split into parts, so that Comm's passes can let MPI progress in between.
  count(code.integer(0), code.integer(kGatherParts),
        [&](Value part) { code.call("comm_graph_run_gather_own", Type(), {runValue, site, data, result, part}); });
  code.call("comm_graph_run_waits", Type(), runValue);
  code.call("comm_graph_run_arrive", Type(), {property, arrivals});
  code.call("comm_graph_run_gather_rest", Type(), {runValue, site, arrivals, result});
  return result;
}
