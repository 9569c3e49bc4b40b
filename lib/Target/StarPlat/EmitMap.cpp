//===- EmitMap.cpp - Emit StarPlat sets and maps --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are never removed individually, so indices remain valid until a map is cleared.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace comm;
using namespace comm::starplat;
using SType = comm::starplat::Type;

static Value makeNumber(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
}

Value Emitter::makeList(SType element, StringRef name) {
  return graph::ListOp::create(builder, lower(SType::makeList(element)), builder.getStringAttr(name));
}

void Emitter::emitMapDeclaration(const Stmt &stmt) {
  const Symbol &symbol = *stmt.symbol;
  if (symbol.isReference) {
    const Expr &get = *stmt.expressions[0];
    Map whole = getMap(*get.operands[0]);
    Value index = emitLookup(whole, *get.operands[1]);
    if (symbol.type.isScalar()) {
      auto &[list, indices] = mapped[&symbol];
      list = whole.index ? whole.innerValues : whole.values;
      if (whole.index)
        indices.push_back(whole.index);
      indices.push_back(index);
      return;
    }
    Map inner = whole;
    inner.type = symbol.type;
    inner.index = index;
    inner.cursor = makeCell(makeNumber(builder, 0), symbol.name);
    maps[&symbol] = inner;
    return;
  }
  Map map;
  map.type = symbol.type;
  SType value{map.type.value};
  map.keys = makeList(SType{map.type.key}, symbol.name);
  if (map.type.depth > 1) {
    map.innerKeys = makeList(SType::makeList(SType{map.type.innerKey}), symbol.name);
    if (value.kind != SType::Void)
      map.innerValues = makeList(SType::makeList(value), symbol.name);
  } else if (value.kind != SType::Void) {
    map.values = makeList(value, symbol.name);
  }
  map.cursor = makeCell(makeNumber(builder, 0), symbol.name);
  maps[&symbol] = map;
}

/// Returns the map that an expression denotes: a name, or the result of `get`.
Emitter::Map Emitter::getMap(const Expr &expr) {
  if (expr.kind == Expr::Name)
    return maps.lookup(expr.symbol);
  Map map = getMap(*expr.operands[0]);
  map.index = emitLookup(map, *expr.operands[1]);
  map.type = expr.type;
  map.cursor = Value();
  return map;
}

// Callers use both immediately, since they may be nested lists.
Value Emitter::getKeys(const Map &map) { return map.index ? takeOut(map.innerKeys, map.index) : map.keys; }
Value Emitter::getValues(const Map &map) { return map.index ? takeOut(map.innerValues, map.index) : map.values; }

/// Returns the index of the key, which is inserted if missing.
Value Emitter::findOrMake(const Map &map, Value key, llvm::function_ref<Value()> value) {
  mlir::Type i64 = builder.getI64Type();
  Value found = graph::ListFindOp::create(builder, i64, key, getKeys(map));
  Value isNew = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, found, makeNumber(builder, 0));
  auto make = scf::IfOp::create(builder, isNew, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(make.thenBlock());
    if (map.type.depth > 1) {
      for (Value lists : {map.innerKeys, map.innerValues})
        if (lists) {
          mlir::Type type = cast<graph::ListType>(lists.getType()).getElementType();
          Value none = graph::ListOp::create(builder, type, StringAttr());
          graph::ListPushOp::create(builder, none, lists);
        }
    } else if (map.type.value != SType::Void) {
      Value first = value ? value() : zero(SType{map.type.value});
      graph::ListPushOp::create(builder, first, getValues(map));
    }
    graph::ListPushOp::create(builder, key, getKeys(map));
  }
  Value size = graph::ListSizeOp::create(builder, i64, getKeys(map));
  Value last = graph::CheckedOp::create(builder, i64, graph::ArithKind::sub, size, makeNumber(builder, 1));
  return arith::SelectOp::create(builder, isNew, last, found);
}

Value Emitter::emitLookup(const Map &map, const Expr &key) {
  Value wanted = emitAs(key, SType{map.type.key});
  at(key.place);
  return findOrMake(map, wanted, nullptr);
}

void Emitter::emitSwap(const Map &a, const Map &b) {
  for (auto [left, right] : {std::pair(a.keys, b.keys), std::pair(a.values, b.values),
                             std::pair(a.innerKeys, b.innerKeys), std::pair(a.innerValues, b.innerValues)}) {
    if (!left)
      continue;
    Value kept = graph::ListOp::create(builder, left.getType(), StringAttr());
    graph::ListCopyOp::create(builder, left, kept);
    graph::ListCopyOp::create(builder, right, left);
    graph::ListCopyOp::create(builder, kept, right);
  }
  for (Value cursor : {a.cursor, b.cursor})
    graph::SetOp::create(builder, makeNumber(builder, 0), cursor);
}

/// Resets all lists of the map to new ones.
void Emitter::emitClear(const Map &map) {
  auto clear = [&](Value list, ArrayRef<Value> index) {
    mlir::Type type = list.getType();
    Value none = graph::ListOp::create(builder, index.empty() ? type : cast<graph::ListType>(type).getElementType(),
                                       StringAttr());
    graph::ListCopyOp::create(builder, none, takeOut(list, index));
  };
  SmallVector<Value, 1> index;
  if (map.index)
    index.push_back(map.index);
  SmallVector<Value, 4> lists = {map.innerKeys, map.innerValues};
  if (!map.index)
    lists.append({map.keys, map.values});
  for (Value list : lists)
    if (list)
      clear(list, index);
}

Value Emitter::emitMapMethod(const Expr &expr) {
  Map map = getMap(*expr.operands[0]);
  StringRef name = expr.text;
  mlir::Type i64 = builder.getI64Type();
  Value nothing, key, given;
  if (name == "swap")
    return emitSwap(map, getMap(*expr.operands[1])), nothing;
  if (expr.operands.size() > 1)
    key = emitAs(*expr.operands[1], SType{map.type.key});
  if (expr.operands.size() > 2)
    given = emitAs(*expr.operands[2], SType{map.type.value});
  at(expr.place);
  auto setCursor = [&](Value value) {
    if (map.cursor)
      graph::SetOp::create(builder, value, map.cursor);
  };
  // A map that was only found by `get` has no cursor.
  auto getCursor = [&]() -> Value {
    return map.cursor ? Value(graph::GetOp::create(builder, map.cursor)) : makeNumber(builder, 0);
  };
  if (name == "insert" || name == "put")
    return findOrMake(map, key, [&] { return given; }), nothing;
  if (name == "contains") {
    Value found = graph::ListFindOp::create(builder, i64, key, getKeys(map));
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, found, makeNumber(builder, 0));
  }
  if (name == "get") {
    Value index = findOrMake(map, key, nullptr);
    return takeOut(getValues(map), index);
  }
  if (name == "clear")
    emitClear(map);
  if (name == "clear" || name == "reset")
    return setCursor(makeNumber(builder, 0)), nothing;
  if (name == "advance") {
    Value next = graph::CheckedOp::create(builder, i64, graph::ArithKind::add, getCursor(), makeNumber(builder, 1));
    return setCursor(next), nothing;
  }
  Value cursor = name == "size" || name == "empty" ? Value() : getCursor();
  if (name == "getcurrentkey" || name == "getcurrent")
    return takeOut(getKeys(map), cursor);
  if (name == "getcurrentval")
    return takeOut(getValues(map), cursor);
  Value size = graph::ListSizeOp::create(builder, i64, getKeys(map));
  if (name == "size")
    return size;
  Value reached = cursor ? cursor : makeNumber(builder, 0);
  auto predicate = cursor ? arith::CmpIPredicate::sge : arith::CmpIPredicate::eq;
  return cursor ? arith::CmpIOp::create(builder, predicate, reached, size)
                : arith::CmpIOp::create(builder, predicate, size, reached);
}
