//===- EmitList.cpp - Emit StarPlat lists ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list taken out of another list is used immediately; all indices are computed before.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace comm;
using namespace comm::starplat;
using SType = comm::starplat::Type;

/// Returns the named list, and the indices that lead to the expression.
Value Emitter::getList(const Expr &expr, SmallVectorImpl<Value> &indices) {
  if (!expr.isOfList())
    return emit(expr);
  if (expr.isMappedName()) {
    const auto &[list, numbers] = mapped.find(expr.symbol)->second;
    indices.append(numbers.begin(), numbers.end());
    return list;
  }
  Value list = expr.kind == Expr::Member ? values.lookup(expr.symbol) : getList(*expr.operands[0], indices);
  indices.push_back(emitAs(*expr.operands.back(), SType{SType::Long}));
  return list;
}

Value Emitter::takeOut(Value list, ArrayRef<Value> indices) {
  for (Value index : indices)
    list = graph::ListGetOp::create(builder, cast<graph::ListType>(list.getType()).getElementType(), list, index);
  return list;
}

/// Emits an element or a nested list.
Value Emitter::emitElement(const Expr &expr) {
  SmallVector<Value> indices;
  Value list = getList(expr, indices);
  at(expr.place);
  return takeOut(list, indices);
}

void Emitter::copyList(const Expr &from, Value to) {
  Value list = from.isOfList() ? emitElement(from) : emit(from);
  at(from.place);
  graph::ListCopyOp::create(builder, list, to);
}

void Emitter::emitListAssign(const Expr &target, const Expr &value) {
  if (!target.isOfList())
    return copyList(value, values.lookup(target.symbol));
  // Both may be nested in other lists.
  SmallVector<Value> fromIndices, toIndices;
  Value from = getList(value, fromIndices), to = getList(target, toIndices);
  at(target.place);
  from = takeOut(from, fromIndices);
  to = takeOut(to, toIndices);
  graph::ListCopyOp::create(builder, from, to);
}

Value Emitter::emitListMethod(const Expr &expr) {
  SType element = expr.operands[0]->type.getElement();
  SmallVector<Value> indices;
  StringRef name = expr.text;
  // Arguments first; the list that is pushed may be nested in another one.
  SmallVector<Value> arguments, pushedIndices;
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    bool isCount = i + 1 < expr.operands.size();
    const Expr &argument = *expr.operands[i];
    arguments.push_back(element.isList() ? getList(argument, pushedIndices)
                                         : emitAs(argument, isCount ? SType{SType::Long} : element));
  }
  Value list = getList(*expr.operands[0], indices), none;
  at(expr.place);
  if (name == "clear") // resets it to a new list
    none = graph::ListOp::create(builder, lower(expr.operands[0]->type), StringAttr());
  if (!pushedIndices.empty())
    arguments[0] = takeOut(arguments[0], pushedIndices);
  list = takeOut(list, indices);
  Value nothing;
  auto number = [&](int64_t value) { return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value)); };
  if (name == "push_back")
    return graph::ListPushOp::create(builder, arguments[0], list), nothing;
  if (name == "assign")
    return graph::ListAssignOp::create(builder, list, arguments[0], arguments[1]), nothing;
  if (name == "pop_back")
    return graph::ListPopOp::create(builder, list), nothing;
  if (name == "getIdx")
    return graph::ListFindOp::create(builder, builder.getI64Type(), arguments[0], list);
  if (name == "clear")
    return graph::ListCopyOp::create(builder, none, list), nothing;
  if (name == "front")
    return takeOut(list, Value(number(0)));
  Value size = graph::ListSizeOp::create(builder, builder.getI64Type(), list);
  if (name == "size")
    return size;
  if (name == "empty")
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, size, number(0));
  Value last = graph::CheckedOp::create(builder, builder.getI64Type(), graph::ArithKind::sub, size, number(1));
  return takeOut(list, last);
}
