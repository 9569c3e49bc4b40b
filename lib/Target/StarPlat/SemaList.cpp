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

/// list[index], where the list is no name
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
  return error(stmt.place, "'auto &' names what a map has: write 'auto &" + stmt.name + " = map.get(key);'");
}

Type Sema::checkMapMethod(Expr &expr) {
  Type map = expr.operands[0]->type;
  bool isSet = map.depth == 1 && map.value == Type::Void;
  Type key{map.key}, mapped = map.getMapped();
  enum { Unknown, Insert, Put, Get, Contains, Swap, Size, Step, AtEnd, Key, Value };
  int kind = StringSwitch<int>(expr.text)
                 .Case("insert", isSet ? Insert : Unknown)
                 .Case("put", isSet ? Unknown : Put)
                 .Case("get", isSet ? Unknown : Get)
                 .Case("contains", Contains)
                 .Case("swap", Swap)
                 .Cases({"size", "empty"}, Size)
                 .Cases({"reset", "advance", "clear"}, Step)
                 .Case("atend", AtEnd)
                 .Case("getcurrent", isSet ? Key : Unknown)
                 .Case("getcurrentkey", isSet ? Unknown : Key)
                 .Case("getcurrentval", isSet ? Unknown : Value)
                 .Default(Unknown);
  if (kind == Unknown)
    return error(expr.place, "a " + getName(map) + " has no function '" + expr.text +
                                 "': " + (isSet ? "insert, getcurrent" : "put, get, getcurrentkey, getcurrentval") +
                                 ", contains, size, empty, clear, swap, reset, atend and advance are there");
  if (kind == Value && mapped.isMap())
    return error(expr.place, "what the map has is a " + getName(mapped) + ": get it by 'auto &name = map.get(key)'");
  if (kind == Put && mapped.isMap())
    return error(expr.place, "what the map has is a " + getName(mapped) + ": 'get' makes an empty one");
  Type result{kind == Contains || kind == AtEnd || expr.text == "empty" ? Type::Bool
              : kind == Size                                            ? Type::Long
                                                                        : Type::Void};
  result = kind == Key ? key : kind == Get || kind == Value ? mapped : result;
  size_t wanted = kind == Put ? 2 : kind == Insert || kind == Get || kind == Contains || kind == Swap ? 1 : 0;
  if (!checkCount(expr, wanted) || wanted == 0)
    return result;
  Expr &first = *expr.operands[1];
  check(first);
  if (kind == Swap) {
    bool isName = first.kind == Expr::Name && expr.operands[0]->kind == Expr::Name;
    if (!first.type.isError() && (!isName || first.type != map || first.symbol == expr.operands[0]->symbol))
      error(first.place, "'swap' takes another " + getName(map) + " that has a name, as this one");
    return result;
  }
  expectConvertible(first, key);
  if (kind == Put) {
    check(*expr.operands[2]);
    adapt(*expr.operands[2], mapped);
    expectConvertible(*expr.operands[2], mapped);
  }
  return result;
}
