//===- Lists.cpp - Lists of values and of lists --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Interpreter/Interpreter.h"

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;
using namespace comm::interpreter;

template <typename Op> void Interpreter::on(Handler handler) { handlers[TypeID::get<Op>()] = handler; }

void Interpreter::registerLists() {
  on<graph::ListOp>(&Interpreter::runList);
  on<graph::ListSizeOp>(&Interpreter::runList);
  on<graph::ListAssignOp>(&Interpreter::runList);
  on<graph::ListCopyOp>(&Interpreter::runList);
  on<graph::ListFindOp>(&Interpreter::runList);
  on<graph::ListGetOp>(&Interpreter::runListElement);
  on<graph::ListSetOp>(&Interpreter::runListElement);
  on<graph::ListReduceOp>(&Interpreter::runListElement);
  on<graph::ListPushOp>(&Interpreter::runListEnd);
  on<graph::ListPopOp>(&Interpreter::runListEnd);
}

/// Only one of the three vectors is in use.
static int64_t getSize(const Object &list) {
  return int64_t(std::max({list.integers.size(), list.numbers.size(), list.lists.size()}));
}

/// 8 GiB of elements.
static constexpr int64_t maxElements = int64_t(1) << 30;

static void assign(Object &list, Type type, int64_t count, const RuntimeValue &value) {
  bool isFloat = isa<FloatType>(type);
  list.integers.assign(isFloat ? 0 : count, value.integer);
  list.numbers.assign(isFloat ? count : 0, value.number);
}

LogicalResult Interpreter::runList(Operation *op, Frame &frame) {
  if (isa<graph::ListOp>(op)) {
    at(frame, op->getResult(0)).object = std::make_shared<Object>();
  } else if (auto size = dyn_cast<graph::ListSizeOp>(op)) {
    at(frame, size).integer = getSize(*at(frame, size.getList()).object);
  } else if (auto copy = dyn_cast<graph::ListCopyOp>(op)) {
    Object from(*at(frame, copy.getFrom()).object);
    Object &to = *at(frame, copy.getTo()).object;
    to.integers = std::move(from.integers);
    to.numbers = std::move(from.numbers);
    to.lists = std::move(from.lists);
  } else if (auto find = dyn_cast<graph::ListFindOp>(op)) {
    const Object &list = *at(frame, find.getList()).object;
    const RuntimeValue &value = at(frame, find.getValue());
    auto integer = llvm::find(list.integers, value.integer);
    auto number = llvm::find(list.numbers, value.number);
    bool isFloat = isa<FloatType>(find.getValue().getType());
    int64_t where = isFloat ? number - list.numbers.begin() : integer - list.integers.begin();
    at(frame, find).integer = where < getSize(list) ? where : -1;
  } else {
    auto fill = cast<graph::ListAssignOp>(op);
    int64_t count = at(frame, fill.getCount()).integer;
    if (count < 0)
      return op->emitError() << "a list cannot have " << count << " elements";
    if (count > maxElements)
      return op->emitError() << "there is not enough memory for a list of " << count << " elements: the interpreter's "
                             << "have up to " << maxElements;
    assign(*at(frame, fill.getList()).object, fill.getValue().getType(), count, at(frame, fill.getValue()));
  }
  return success();
}

LogicalResult Interpreter::runListElement(Operation *op, Frame &frame) {
  Value list, place;
  llvm::TypeSwitch<Operation *>(op).Case<graph::ListGetOp, graph::ListSetOp, graph::ListReduceOp>([&](auto each) {
    list = each.getList();
    place = each.getIndex();
  });
  Object &object = *at(frame, list).object;
  int64_t index = at(frame, place).integer, size = getSize(object);
  if (index < 0 || index >= size)
    return op->emitError() << "there is no element " << index << ": the list has " << size << " elements";
  Type type = cast<graph::ListType>(list.getType()).getElementType();
  if (auto setOp = dyn_cast<graph::ListSetOp>(op)) {
    set(object, type, index, at(frame, setOp.getValue()));
  } else if (auto reduce = dyn_cast<graph::ListReduceOp>(op)) {
    const RuntimeValue &value = at(frame, reduce.getValue());
    return combine(op, int(reduce.getKind()), type, index, object, value, reduce.getValue().getType());
  } else if (isa<graph::ListType>(type)) {
    at(frame, op->getResult(0)).object = object.lists[index];
  } else {
    at(frame, op->getResult(0)) = get(object, type, index);
  }
  return success();
}

LogicalResult Interpreter::runListEnd(Operation *op, Frame &frame) {
  if (auto pop = dyn_cast<graph::ListPopOp>(op)) {
    Object &list = *at(frame, pop.getList()).object;
    if (!getSize(list))
      return op->emitError() << "the list has no element that it could lose";
    if (!list.integers.empty())
      list.integers.pop_back();
    else if (!list.numbers.empty())
      list.numbers.pop_back();
    else
      list.lists.pop_back();
    return success();
  }
  auto push = cast<graph::ListPushOp>(op);
  const RuntimeValue &value = at(frame, push.getValue());
  Object &list = *at(frame, push.getList()).object;
  if (isa<graph::ListType>(push.getValue().getType()))
    list.lists.push_back(std::make_shared<Object>(*value.object));
  else if (isa<FloatType>(push.getValue().getType()))
    list.numbers.push_back(value.number);
  else
    list.integers.push_back(value.integer);
  return success();
}
