//===- SemaList.cpp - Types of StarPlat lists, sets and maps -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sema.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace comm::starplat;

Symbol *Sema::findList(StringRef name) const {
  Symbol *symbol = find(name);
  return symbol && symbol->type.isList() ? symbol : nullptr;
}

/// list[index], where the list is not a name
Type Sema::checkElement(Expr &expr) {
  Type list = check(*expr.operands[0]), index = check(*expr.operands[1]);
  if (list.isError() || index.isError())
    return Type{Type::Error};
  if (!list.isList())
    return error(expr.place, "this is of type " + getName(list) + ": lists have elements, and 'name[v]' is 'v.name'");
  if (!index.isInteger() && index.kind != Type::Node)
    return error(expr.operands[1]->place,
                 "this is of type " + getName(index) + ": elements of a list are numbered, from 0 on");
  return list.getElement();
}

/// list.method(...)
Type Sema::checkListMethod(Expr &expr) {
  Type list = expr.operands[0]->type, element = list.getElement();
  enum { Unknown, Assign, Push, Size, Find, End, Shrink };
  int kind = StringSwitch<int>(expr.text)
                 .Case("assign", Assign)
                 .Case("push_back", Push)
                 .Cases({"size", "empty"}, Size)
                 .Case("getIdx", Find)
                 .Cases({"back", "front"}, End)
                 .Cases({"pop_back", "clear"}, Shrink)
                 .Default(Unknown);
  if (kind == Unknown)
    return error(expr.place,
                 "a list has no function '" + expr.text +
                     "': assign, push_back, pop_back, clear, size, empty, front, back and getIdx are there");
  Type result{Type::Void};
  if (kind == Size)
    result = Type{expr.text == "size" ? Type::Long : Type::Bool};
  else if (kind == Find)
    result = Type{Type::Long};
  else if (kind == End)
    result = element;
  if (kind == Assign || kind == Push || kind == Shrink)
    markWritten(*expr.operands[0]);
  size_t wanted = kind == Assign ? 2 : kind == Push || kind == Find ? 1 : 0;
  if (!checkCount(expr, wanted) || wanted == 0)
    return result;
  if (kind != Push && element.isList())
    return error(expr.place, "'" + expr.text + "' takes values, and the elements are lists: use push_back");
  Expr &value = *expr.operands.back();
  check(value);
  adapt(value, element);
  expectConvertible(value, element);
  if (kind != Assign)
    return result;
  Type count = check(*expr.operands[1]);
  if (!count.isError() && !count.isInteger())
    error(expr.operands[1]->place, "this is of type " + getName(count) + ": the size of a list is an integer");
  return result;
}

//===----------------------------------------------------------------------===//
// Sets and maps
//===----------------------------------------------------------------------===//

/// auto &name = map.get(key);
Type Sema::checkReference(Stmt &stmt) {
  const Expr *value = stmt.expressions.empty() ? nullptr : stmt.expressions[0].get();
  bool isGet = value && value->kind == Expr::Method && value->text == "get" && value->operands[0]->type.isMap();
  if (isGet)
    return value->type;
  if (value && value->type.isError())
    return Type{Type::Error};
  return error(stmt.place, "'auto &' names the value of a key: write 'auto &" + stmt.name + " = map.get(key);'");
}

namespace {
enum class MapMethod { Unknown, Insert, Put, Get, Contains, Swap, Size, IsEmpty, Step, AtEnd, Key, Value };
} // namespace

static MapMethod getMapMethod(StringRef name, bool isSet) {
  auto only = [](bool isThere, MapMethod method) { return isThere ? method : MapMethod::Unknown; };
  return StringSwitch<MapMethod>(name)
      .Case("insert", only(isSet, MapMethod::Insert))
      .Case("put", only(!isSet, MapMethod::Put))
      .Case("get", only(!isSet, MapMethod::Get))
      .Case("contains", MapMethod::Contains)
      .Case("swap", MapMethod::Swap)
      .Case("size", MapMethod::Size)
      .Case("empty", MapMethod::IsEmpty)
      .Cases({"reset", "advance", "clear"}, MapMethod::Step)
      .Case("atend", MapMethod::AtEnd)
      .Case("getcurrent", only(isSet, MapMethod::Key))
      .Case("getcurrentkey", only(!isSet, MapMethod::Key))
      .Case("getcurrentval", only(!isSet, MapMethod::Value))
      .Default(MapMethod::Unknown);
}

static Type getMapResult(MapMethod method, Type map) {
  switch (method) {
  case MapMethod::Contains:
  case MapMethod::IsEmpty:
  case MapMethod::AtEnd:
    return Type{Type::Bool};
  case MapMethod::Size:
    return Type{Type::Long};
  case MapMethod::Key:
    return Type{map.key};
  case MapMethod::Get:
  case MapMethod::Value:
    return map.getMapped();
  default:
    return Type{Type::Void};
  }
}

Type Sema::checkMapMethod(Expr &expr) {
  Type map = expr.operands[0]->type;
  bool isSet = map.depth == 1 && map.value == Type::Void;
  Type key{map.key}, mapped = map.getMapped();
  MapMethod method = getMapMethod(expr.text, isSet);
  if (method == MapMethod::Unknown)
    return error(expr.place, "a " + getName(map) + " has no function '" + expr.text +
                                 "': " + (isSet ? "insert, getcurrent" : "put, get, getcurrentkey, getcurrentval") +
                                 ", contains, size, empty, clear, swap, reset, atend and advance are there");
  if (method == MapMethod::Value && mapped.isMap())
    return error(expr.place,
                 "the values of the map are of type " + getName(mapped) + ": get one with 'auto &name = map.get(key)'");
  if (method == MapMethod::Put && mapped.isMap())
    return error(expr.place, "the values of the map are of type " + getName(mapped) + ": 'get' creates an empty one");
  Type result = getMapResult(method, map);
  bool takesKey = method == MapMethod::Insert || method == MapMethod::Put || method == MapMethod::Get ||
                  method == MapMethod::Contains;
  size_t wanted = method == MapMethod::Put ? 2 : takesKey || method == MapMethod::Swap ? 1 : 0;
  if (!checkCount(expr, wanted) || wanted == 0)
    return result;
  Expr &first = *expr.operands[1];
  check(first);
  if (first.type.isError())
    return result;
  if (method == MapMethod::Swap) {
    bool isName = first.kind == Expr::Name && expr.operands[0]->kind == Expr::Name;
    bool isWhole = isName && !first.symbol->isReference && !expr.operands[0]->symbol->isReference;
    if ((!isWhole || first.type != map || first.symbol == expr.operands[0]->symbol))
      error(first.place, "'swap' takes another " + getName(map) + " that has a name, as this one");
    return result;
  }
  expectConvertible(first, key);
  if (method == MapMethod::Put) {
    check(*expr.operands[2]);
    adapt(*expr.operands[2], mapped);
    expectConvertible(*expr.operands[2], mapped);
  }
  return result;
}
