//===- EmitLists.cpp - Lists replicated in all processes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each process has the whole list. All processes execute operations outside of loops. Changes of elements in iterations
// are recorded, and sent to all after the loop.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;

/// enum comm_graph_update_kind; reductions have their own numbers.
static constexpr int64_t assignKind = 7;

/// Operations that change a list as a whole are ordered, but iterations are not.
bool Emitter::refuseInLoop(Operation *op) {
  if (!loop)
    return false;
  fail(op,
       "creates a list, or changes one as a whole, in an iteration of a forall: use 'for', or declare it before the "
       "loop and change its elements by reductions");
  return true;
}

void Emitter::emitList(Operation *op) {
  using namespace graph;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ListOp each) {
        if (refuseInLoop(op))
          return;
        auto [scalar, depth] = each.getType().getScalar();
        set(each, code.call("comm_graph_run_list", code.pointer(),
                            {run(), code.integer(typeNumber(scalar), 32), code.integer(depth, 32)}));
      })
      .Case([&](ListSizeOp each) {
        set(each, code.call("comm_graph_run_list_size", code.i64(), getValue(each.getList())));
      })
      .Case([&](ListFindOp each) {
        Value list = getValue(each.getList());
        set(each, code.call("comm_graph_run_list_find", code.i64(), {list, makeSlots(getValue(each.getValue()))}));
      })
      .Case([&](ListPushOp each) {
        if (refuseInLoop(op))
          return;
        Value list = getValue(each.getList()), value = getValue(each.getValue());
        if (isa<ListType>(each.getValue().getType()))
          code.call("comm_graph_run_list_push_list", Type(), {list, value});
        else
          code.call("comm_graph_run_list_push", Type(), {list, makeSlots(value)});
      })
      .Case([&](ListPopOp each) {
        if (!refuseInLoop(op))
          code.call("comm_graph_run_list_pop", Type(), {getValue(each.getList()), place(op)});
      })
      .Case([&](ListAssignOp each) {
        if (refuseInLoop(op))
          return;
        Value slots = makeSlots(getValue(each.getValue()));
        code.call("comm_graph_run_list_assign", Type(),
                  {getValue(each.getList()), getValue(each.getCount()), slots, place(op)});
      })
      .Case([&](ListCopyOp each) {
        if (!refuseInLoop(op))
          code.call("comm_graph_run_list_copy", Type(), {getValue(each.getFrom()), getValue(each.getTo())});
      });
}

/// Records a change of a list element in a loop.
void Emitter::updateList(Operation *op, Value list, Value index, Value value, int64_t kind) {
  if (list.getDefiningOp<graph::ListGetOp>()) {
    fail(op, "changes a list within a list in an iteration of a forall, which the lowering of graph programs does not "
             "support: use 'for'");
    return;
  }
  loop->lists.insert(values.lookup(list).value);
  code.call("comm_graph_run_list_update", Type(),
            {getValue(list), code.integer(kind, 32), index, makeSlots(value), place(op)});
}

void Emitter::emitListElement(Operation *op) {
  using namespace graph;
  Value list, number;
  llvm::TypeSwitch<Operation *>(op).Case<ListGetOp, ListSetOp, ListReduceOp>([&](auto each) {
    list = each.getList();
    number = each.getIndex();
  });
  Type type = lower(cast<ListType>(list.getType()).getElementType());
  Value index = getValue(number);
  auto getAddress = [&] {
    return code.call("comm_graph_run_list_at", code.pointer(), {getValue(list), index, place(op)});
  };
  if (isa<ListGetOp>(op) && isa<ListType>(op->getResult(0).getType()))
    return set(op->getResult(0),
               code.call("comm_graph_run_list_inner", code.pointer(), {getValue(list), index, place(op)}));
  if (isa<ListGetOp>(op))
    return set(op->getResult(0), code.load(type, getAddress()));
  if (auto setOp = dyn_cast<ListSetOp>(op)) {
    Value value = getValue(setOp.getValue());
    return loop ? updateList(op, list, index, value, assignKind) : code.store(value, getAddress());
  }
  auto reduce = cast<ListReduceOp>(op);
  Value value = getValue(reduce.getValue());
  if (loop)
    return updateList(op, list, index, value, int64_t(reduce.getKind()));
  Value address = getAddress();
  code.store(combine(reduce.getKind(), code.load(type, address), value, op), address);
}

/// A list is freed at the end of the block that created it, or that called the function that returned it.
void Emitter::freeLists(Block &block) {
  if (failed || loop)
    return;
  Operation *end = block.getTerminator();
  for (Operation &op : block.without_terminator()) {
    if (!isa<graph::ListOp, func::CallOp>(op))
      continue;
    for (Value result : op.getResults())
      if (isa<graph::ListType>(result.getType()) && !llvm::is_contained(end->getOperands(), result))
        code.call("comm_graph_run_list_free", Type(), getValue(result));
  }
}
