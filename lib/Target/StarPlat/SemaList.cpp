//===- SemaList.cpp - Types of StarPlat lists ----------------------------===//
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
