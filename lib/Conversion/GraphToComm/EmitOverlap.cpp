//===- EmitOverlap.cpp - Updates travel while iterations go on -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Updates of other processes' vertices come from vertices that have such neighbors. Their iterations come first; what
// they combined is exchanged by operations of the comm dialect, and all other iterations come after those. Nothing
// here starts or waits: that iterations run between a start and its wait is for Comm's passes to find.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;

/// COMM_GRAPH_SEND_COUNTS and the following ones of comm/graph_run.h.
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

/// Whether all updates of other processes' vertices are in the copies of neighbors when the border is through.
bool Emitter::canTravel() {
  return !loop->updates.empty() && loop->lists.empty() && llvm::none_of(loop->updates, [](auto &entry) {
    const UpdateGroup &group = entry.second;
    return entry.first.second || group.isAny || group.leavesCopies || group.sendsEach || group.waits;
  });
}

/// The border; where nothing travels, all iterations.
void Emitter::emitBorder(Value travels, Value size, bool areVertices, llvm::function_ref<void(Value)> item) {
  Value border = code.call("comm_graph_run_border", code.pointer(), runValue);
  loop->border = code.load(code.pointer(), border);
  if (!areVertices) {
    loop->hasAll = arith::XOrIOp::create(builder, travels, code.integer(1, 1));
    loop->part = LoopPart::Border;
    return count(code.integer(0), size, item);
  }
  // There is a list of them.
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

/// False if iterations need something that this form does not give; what was written is of no use then.
bool Emitter::emitInParts(Value size, bool areVertices, llvm::function_ref<void(Value)> item) {
  // Whether it pays is known at run time, alike on all processes.
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
  sendUpdates(size, item);
  loop->part = LoopPart::Whole;
  mlir::remark::passed(loop->op.getLoc(), mlir::remark::RemarkOpts::name("overlap").category(kPass))
      << "between nodes, updates of neighbors travel while iterations of vertices without such neighbors run";
  return true;
}

/// Half of the interior may run while processes tell each other how much they send, and the other half while that is on
/// its way.
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
  for (Message &message : messages) {
    message.arrivals =
        code.call("comm_graph_run_updates_arrivals", code.pointer(), {message.handle, message.receiveCounts});
    Value sendPlaces = counts(message.handle, SendPlaces);
    message.receivePlaces = counts(message.handle, ReceivePlaces);
    emitExchange(message.sent, message.arrivals,
                 {message.sendCounts, sendPlaces, message.receiveCounts, message.receivePlaces}, code.i8());
  }
  count(half, size, item);
  for (const Message &message : messages)
    code.call("comm_graph_run_updates_arrive", Type(),
              {message.handle, message.arrivals, message.receiveCounts, message.receivePlaces});
}
