//===- Predicate.cpp - Conditions known before a loop ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Expr.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace comm;

Predicate Predicate::lessOrEqual(const Expr &a, const Expr &b) {
  Predicate result(Kind::NotNegative);
  result.difference = b - a;
  if (result.difference.isUnknown() || result.difference.getRange().most < 0)
    return never();
  if (result.difference.getRange().least >= 0)
    return always();
  return result;
}

Predicate Predicate::apart(Value layout, Value otherLayout, const Expr &distance) {
  if (distance.isUnknown())
    return never();
  Predicate result(Kind::Apart);
  result.difference = distance;
  result.layout = layout;
  result.otherLayout = otherLayout;
  return result;
}

Predicate Predicate::fits(const Expr &expr) {
  if (expr.isUnknown() || expr.getConstant())
    return expr.isUnknown() ? never() : always();
  Predicate result(Kind::Fits);
  result.difference = expr;
  return result;
}

bool Predicate::operator==(const Predicate &other) const {
  return kind == other.kind && difference == other.difference && layout == other.layout &&
         otherLayout == other.otherLayout && parts == other.parts;
}

Predicate Predicate::combine(Kind wanted, const Predicate &other) const {
  Kind neutral = wanted == Kind::And ? Kind::True : Kind::False;
  Kind dominant = wanted == Kind::And ? Kind::False : Kind::True;
  if (kind == dominant || other.kind == neutral)
    return *this;
  if (other.kind == dominant || kind == neutral)
    return other;
  Predicate result(wanted);
  auto append = [&](const Predicate &part) {
    if (!llvm::is_contained(result.parts, part))
      result.parts.push_back(part);
  };
  for (const Predicate *operand : {this, &other}) {
    if (operand->kind == wanted)
      llvm::for_each(operand->parts, append);
    else
      append(*operand);
  }
  return result.parts.size() == 1 ? result.parts.front() : result;
}

void Predicate::forEachLeaf(llvm::function_ref<void(const Predicate &)> fn) const {
  if (kind == Kind::NotNegative || kind == Kind::Apart || kind == Kind::Fits)
    fn(*this);
  for (const Predicate &part : parts)
    part.forEachLeaf(fn);
}

Predicate Predicate::map(llvm::function_ref<Expr(const Expr &)> fn) const {
  if (kind == Kind::NotNegative)
    return lessOrEqual(Expr(), fn(difference));
  if (kind == Kind::Apart)
    return apart(layout, otherLayout, fn(difference));
  if (kind == Kind::Fits)
    return fits(fn(difference));
  if (parts.empty())
    return *this;
  Predicate result(kind == Kind::And ? Kind::True : Kind::False);
  for (const Predicate &part : parts)
    result = result.combine(kind, part.map(fn));
  return result;
}

unsigned Predicate::getSize() const {
  unsigned size = 0;
  forEachLeaf([&](const Predicate &leaf) { size += leaf.kind != Kind::Fits; });
  return size;
}

void Predicate::forEachSymbol(llvm::function_ref<void(Value)> fn) const {
  forEachLeaf([&](const Predicate &leaf) {
    leaf.difference.forEachSymbol(fn);
    if (leaf.kind == Kind::Apart) {
      fn(leaf.layout);
      fn(leaf.otherLayout);
    }
  });
}

std::optional<bool> Predicate::evaluate(Expr::SymbolValue symbol) const {
  switch (kind) {
  case Kind::False:
    return false;
  case Kind::True:
  case Kind::Fits:
    return true;
  case Kind::NotNegative: {
    std::optional<Int128> value = difference.evaluate(symbol, [](unsigned) { return std::nullopt; });
    return value ? std::optional<bool>(*value >= 0) : std::nullopt;
  }
  case Kind::Apart:
    return std::nullopt;
  case Kind::And:
  case Kind::Or: {
    bool isUnknown = false;
    for (const Predicate &part : parts) {
      std::optional<bool> value = part.evaluate(symbol);
      if (value && *value == (kind == Kind::Or))
        return *value;
      isUnknown |= !value;
    }
    return isUnknown ? std::nullopt : std::optional<bool>(kind == Kind::And);
  }
  }
  return std::nullopt;
}

bool Predicate::isMaterializable() const {
  bool isPossible = true;
  forEachLeaf([&](const Predicate &leaf) { isPossible &= leaf.difference.isMaterializable(); });
  return isPossible;
}
