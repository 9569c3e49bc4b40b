//===- EmitOverlap.cpp - Updates overlapped with iterations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only vertices with neighbors in other processes update vertices of other processes. Their iterations come first, then
// operations of the comm dialect exchange the combined updates, and then all other iterations follow. Nothing here
// starts or waits: Comm's passes find out that iterations can run between a start and its wait.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;

/// COMM_GRAPH_SEND_COUNTS and the constants after it in comm/graph_run.h.
enum Counts { SendCounts, SendPlaces, ReceiveCounts, ReceivePlaces };

static constexpr StringLiteral kPass = "graph-overlap-updates";

void Emitter::visit(Value local, llvm::function_ref<void()> body) {
  if (loop->part == LoopPart::Whole)
    return body();
  Value isAtBorder = code.load(code.i1(), code.element(loop->border, code.i1(), local));
  if (loop->part == LoopPart::Border)
    return when(code.either(loop->hasAll, isAtBorder), body);
  when(arith::XOrIOp::create(builder, isAtBorder, code.integer(1, 1)), body);
}

/// Whether the copies of neighbors contain all updates of other processes' vertices once the border is done.
bool Emitter::canTravel() {
  return !loop->updates.empty() && loop->lists.empty() && llvm::none_of(loop->updates, [](auto &entry) {
    const UpdateGroup &group = entry.second;
    return entry.first.second || group.isAny || group.leavesCopies || group.sendsEach || group.waits;
  });
}

/// Emits the iterations of the border, or all iterations if nothing travels.
void Emitter::emitBorder(Value travels, Value size, bool areVertices, llvm::function_ref<void(Value)> item) {
  Value border = code.call("comm_graph_run_border", code.pointer(), runValue);
  loop->border = code.load(code.pointer(), border);
  if (!areVertices) {
    loop->hasAll = arith::XOrIOp::create(builder, travels, code.integer(1, 1));
    loop->part = LoopPart::Border;
    return count(code.integer(0), size, item);
  }
  // The border vertices are in a list.
  Value few = code.load(code.i64(), code.field(border, 8));
  Value vertices = code.load(code.pointer(), code.field(border, 16));
  count(code.integer(0), arith::SelectOp::create(builder, travels, few, size), [&](Value i) {
    item(choose(
        travels, code.i64(),
        [&]() -> Value {
          Value vertex = code.load(code.i32(), code.element(vertices, code.i32(), i));
          return arith::ExtUIOp::create(builder, code.i64(), vertex);
        },
        [&] { return i; }));
  });
}

/// Returns false if iterations need something that this form does not support. The emitted code is then useless.
bool Emitter::emitInParts(Value size, bool areVertices, llvm::function_ref<void(Value)> item) {
  // Whether it pays off is known at run time, identically in all processes.
  Value travels = code.isTrue(code.call("comm_graph_run_updates_travel", code.i32(), runValue));
  emitBorder(travels, size, areVertices, item);
  if (failed)
    return false;
  if (loop->needsSweep || !canTravel()) {
    mlir::remark::missed(loop->op.getLoc(), mlir::remark::RemarkOpts::name("overlap").category(kPass))
        << (loop->needsSweep ? "updates travel after the loop: its iterations ask other processes"
                             : "updates travel after the loop: some are not combined in copies of neighbors");
    return false;
  }
  auto branch = scf::IfOp::create(builder, travels, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  deliverUpdates();
  builder.setInsertionPointToStart(branch.thenBlock());
  hasWindow() ? putUpdates(size, item) : sendUpdates(size, item);
  loop->part = LoopPart::Whole;
  mlir::remark::passed(loop->op.getLoc(), mlir::remark::RemarkOpts::name("overlap").category(kPass))
      << (hasWindow() ? "updates of neighbors are put into windows" : "between nodes, updates of neighbors travel")
      << " while iterations of vertices without such neighbors run";
  return true;
}

/// Half of the interior may run while processes exchange the sizes of their messages, and the other half while the
/// messages are in flight.
void Emitter::sendUpdates(Value size, llvm::function_ref<void(Value)> item) {
  struct Message {
    Value handle, sent, sendCounts, receiveCounts, receivePlaces, arrivals;
  };
  SmallVector<Message> messages;
  auto counts = [&](Value handle, Counts which) {
    return code.call("comm_graph_run_updates_counts", code.pointer(), {handle, code.integer(which, 32)});
  };
  for (auto &[key, group] : loop->updates) {
    Message message{group.handle, {}, {}, {}, {}, {}};
    message.sent = code.call("comm_graph_run_updates_pack", code.pointer(), group.handle);
    message.sendCounts = counts(group.handle, SendCounts);
    message.receiveCounts = counts(group.handle, ReceiveCounts);
    exchangeCounts(message.sendCounts, message.receiveCounts);
    messages.push_back(message);
  }
  loop->part = LoopPart::Interior;
  Value half = arith::ShRUIOp::create(builder, size, code.integer(1));
  count(code.integer(0), half, item);
  code.call("comm_graph_run_waits", Type(), runValue);
  for (Message &message : messages) {
    message.arrivals =
        code.call("comm_graph_run_updates_arrivals", code.pointer(), {message.handle, message.receiveCounts});
    Value sendPlaces = counts(message.handle, SendPlaces);
    message.receivePlaces = counts(message.handle, ReceivePlaces);
    emitExchange(message.sent, message.arrivals,
                 {message.sendCounts, sendPlaces, message.receiveCounts, message.receivePlaces}, code.i8());
  }
  count(half, size, item);
  code.call("comm_graph_run_waits", Type(), runValue);
  for (const Message &message : messages)
    code.call("comm_graph_run_updates_arrive", Type(),
              {message.handle, message.arrivals, message.receiveCounts, message.receivePlaces});
}
