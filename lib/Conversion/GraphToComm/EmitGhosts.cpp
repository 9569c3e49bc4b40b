//===- EmitGhosts.cpp - Ghosts overlapped with iterations -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only vertices with neighbors in other processes read ghosts. Operations of the comm dialect exchange the ghosts, and
// iterations of all other vertices follow; the border comes after them. What is sent is packed before the first
// iteration, so that nothing that iterations change is in flight.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;

void Emitter::refresh(Value property) {
  bool onlyChanges = loop->op->hasAttr(graph::kChangesAttrName);
  code.call(onlyChanges ? "comm_graph_run_refresh_changed" : "comm_graph_run_refresh", Type(), property);
}

/// Asks whether some ghosts that the loop reads are out of date, and the program exchanges them by itself.
Value Emitter::askGhosts(const GhostMap &ghosts, Value handles) {
  return code.isTrue(
      code.call("comm_graph_run_ghosts_travel", code.i32(), {runValue, code.integer(int64_t(ghosts.size())), handles}));
}

Value Emitter::makeHandles(const GhostMap &ghosts) {
  SmallVector<Value> handles;
  for (auto [property, type] : ghosts)
    handles.push_back(property);
  return makeSlots(handles);
}

/// Comes before the loop, and before its updates begin. Ghosts that do not travel are refreshed here.
void Emitter::beginGhosts() {
  loop->op->walk([&](graph::LoadOp load) {
    if (load->hasAttr(graph::kCopiedAttrName))
      loop->traveling.insert({values.lookup(load.getProperty()).value, lower(load.getType())});
  });
  loop->handles = makeHandles(loop->traveling);
  loop->ghostsTravel = askGhosts(loop->traveling, loop->handles);
  when(arith::XOrIOp::create(builder, loop->ghostsTravel, code.integer(1, 1)), [&] {
    for (auto [property, type] : loop->traveling)
      refresh(property);
  });
}

/// Emits the exchange, with the iterations of the interior among the first `end` ones.
void Emitter::emitGhosts(Value end, llvm::function_ref<void(Value)> item) {
  loop->part = LoopPart::Interior;
  Value half = middle(code.integer(0), end);
  if (!hasWindow())
    return sendGhosts(half, end, item);
  putValues(
      loop->traveling, loop->handles, loop->op->hasAttr(graph::kChangesAttrName),
      [&] { count(code.integer(0), half, item); }, [&] { count(half, end, item); });
}

/// If only changes are sent, their sizes come first, with half of the iterations.
void Emitter::sendGhosts(Value half, Value end, llvm::function_ref<void(Value)> item) {
  bool onlyChanges = loop->op->hasAttr(graph::kChangesAttrName);
  auto counts = [&](Counts which) {
    return code.call("comm_graph_run_ghosts_counts", code.pointer(), {runValue, code.integer(which, 32)});
  };
  Value sent = code.call(
      "comm_graph_run_ghosts_pack", code.pointer(),
      {runValue, code.integer(int64_t(loop->traveling.size())), loop->handles, code.integer(onlyChanges, 32)});
  Value sendCounts = counts(SendCounts), receiveCounts = counts(ReceiveCounts), from = code.integer(0);
  if (onlyChanges) {
    Value varies = code.isTrue(code.call("comm_graph_run_ghosts_vary", code.i32(), runValue));
    when(varies, [&] {
      exchangeCounts(sendCounts, receiveCounts);
      count(code.integer(0), half, item);
      code.call("comm_graph_run_waits", Type(), runValue);
    });
    from = arith::SelectOp::create(builder, varies, half, from);
  }
  Value arrivals = code.call("comm_graph_run_ghosts_arrivals", code.pointer(), {runValue, receiveCounts});
  Value sendPlaces = counts(SendPlaces), receivePlaces = counts(ReceivePlaces);
  emitExchange(sent, arrivals, {sendCounts, sendPlaces, receiveCounts, receivePlaces}, code.i8());
  count(from, end, item);
  code.call("comm_graph_run_waits", Type(), runValue);
  code.call("comm_graph_run_ghosts_arrive", Type(), {runValue, arrivals, receiveCounts, receivePlaces});
}

/// Before a loop whose ghosts must be there when it begins.
void Emitter::putGhosts(const GhostMap &ghosts) {
  Value handles = makeHandles(ghosts);
  when(askGhosts(ghosts, handles),
       [&] { putValues(ghosts, handles, loop->op->hasAttr(graph::kChangesAttrName), [] {}, [] {}); });
}
