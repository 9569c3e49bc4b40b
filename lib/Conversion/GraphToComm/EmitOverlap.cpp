//===- EmitOverlap.cpp - Ghosts and updates overlapped with iterations ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only vertices with neighbors in other processes read and update vertices of other processes. Operations of the comm
// dialect exchange ghosts before iterations of the other vertices (EmitGhosts.cpp); then those at the border run; then
// operations exchange their combined updates, before the iterations that are left. Nothing here starts or waits: Comm's
// passes find out that iterations can run between a start and its wait.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;
using mlir::remark::RemarkOpts;

void Emitter::visit(Value local, llvm::function_ref<void()> body) {
  if (loop->part == LoopPart::Whole)
    return body();
  Value isAtBorder = code.load(code.i1(), code.element(loop->border, code.i1(), local));
  if (loop->part == LoopPart::Border)
    return when(code.either(loop->hasAll, isAtBorder), body);
  when(arith::XOrIOp::create(builder, isAtBorder, code.integer(1, 1)), body);
}

/// Whether iterations only update their own vertices and copies of neighbors, in place.
bool Emitter::updatesInPlace() {
  return loop->lists.empty() && llvm::none_of(loop->updates, [](auto &entry) {
           const UpdateGroup &group = entry.second;
           return entry.first.second || group.isAny || group.leavesCopies || group.sendsEach || group.waits;
         });
}

/// Emits the iterations of the border, or all iterations if nothing travels.
void Emitter::emitBorder(Value border, Value travels, Value size, bool areVertices,
                         llvm::function_ref<void(Value)> item) {
  loop->part = areVertices ? LoopPart::Whole : LoopPart::Border;
  if (!areVertices) {
    loop->hasAll = arith::XOrIOp::create(builder, travels, code.integer(1, 1));
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

/// Returns why ghosts have to arrive before the first iteration, or "".
StringLiteral Emitter::whyGhostsFirst() {
  if (!loop->gathered.empty())
    return "ghosts arrive before the loop: a gather for all vertices comes before the first iteration";
  // The library performs other updates: Comm's passes do not know what it does, and any iteration may update a ghost,
  // of which what arrives would replace the new value.
  if (!updatesInPlace())
    return "ghosts arrive before the loop: some of its updates are not combined in copies of neighbors";
  return "";
}

/// Whether the iterations allow the loop to run in parts; otherwise clears what they do not allow.
bool Emitter::canSplit() {
  auto tellNot = [&](StringLiteral pass, StringLiteral text) {
    mlir::remark::missed(loop->op.getLoc(), RemarkOpts::name("overlap").category(pass)) << text;
  };
  if (loop->needsSweep) {
    if (loop->hidesGhosts)
      tellNot(kGhostsPass, "ghosts arrive before the loop: its iterations ask other processes");
    if (loop->hidesUpdates)
      tellNot(kUpdatesPass, "updates travel after the loop: its iterations ask other processes");
    return false;
  }
  if (loop->hidesUpdates && (loop->updates.empty() || !updatesInPlace())) {
    tellNot(kUpdatesPass, "updates travel after the loop: some are not combined in copies of neighbors");
    loop->hidesUpdates = false;
    return false;
  }
  StringLiteral reason = loop->hidesGhosts ? whyGhostsFirst() : "";
  if (reason.empty())
    return true;
  tellNot(kGhostsPass, reason);
  loop->hidesGhosts = false;
  return false;
}

void Emitter::tellOverlap() {
  auto tell = [&](StringLiteral pass, StringLiteral window, StringLiteral messages, StringLiteral rest) {
    mlir::remark::passed(loop->op.getLoc(), RemarkOpts::name("overlap").category(pass))
        << (hasWindow() ? window : messages) << rest;
  };
  if (loop->hidesGhosts)
    tell(kGhostsPass, "ghosts are put into windows", "between nodes, ghosts travel",
         " while iterations of vertices without such neighbors run");
  if (loop->hidesUpdates)
    tell(kUpdatesPass, "updates of neighbors are put into windows", "between nodes, updates of neighbors travel",
         " while iterations of vertices without such neighbors run");
}

/// Returns false if iterations need something that this form does not support. The emitted code is then useless.
bool Emitter::emitInParts(Value size, bool areVertices, llvm::function_ref<void(Value)> item) {
  // Whether it pays off is known at run time, identically in all processes. Ghosts only travel if updates would.
  Value travels = loop->ghostsTravel, from = code.integer(0);
  if (loop->hidesUpdates)
    travels = code.isTrue(code.call("comm_graph_run_updates_travel", code.i32(), runValue));
  Value border = code.call("comm_graph_run_border", code.pointer(), runValue);
  loop->border = code.load(code.pointer(), border);
  if (loop->hidesGhosts) {
    Value end = loop->hidesUpdates ? middle(from, size) : size;
    when(loop->ghostsTravel, [&] { emitGhosts(end, item); });
    if (loop->hidesUpdates)
      from = arith::SelectOp::create(builder, loop->ghostsTravel, end, from);
  }
  emitBorder(border, travels, size, areVertices, item);
  if (failed || !canSplit())
    return false;
  if (loop->hidesUpdates)
    emitUpdates(travels, from, size, item);
  loop->part = LoopPart::Whole;
  tellOverlap();
  return true;
}

/// Emits the exchange of updates, with the iterations of the interior from this one on.
void Emitter::emitUpdates(Value travels, Value from, Value size, llvm::function_ref<void(Value)> item) {
  auto branch = scf::IfOp::create(builder, travels, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  deliverUpdates();
  builder.setInsertionPointToStart(branch.thenBlock());
  loop->part = LoopPart::Interior;
  hasWindow() ? putUpdates(from, size, item) : sendUpdates(from, size, item);
}

/// Returns the iteration in the middle.
Value Emitter::middle(Value from, Value to) {
  return code.add(from, arith::ShRUIOp::create(builder, code.sub(to, from), code.integer(1)));
}

/// Half of the interior may run while processes exchange the sizes of their messages, and the other half while the
/// messages are in flight.
void Emitter::sendUpdates(Value from, Value size, llvm::function_ref<void(Value)> item) {
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
  Value half = middle(from, size);
  count(from, half, item);
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
