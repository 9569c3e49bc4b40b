//===- SlotBounds.cpp - Slots with active requests ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotBounds.h"

#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace comm;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Keeps the symbols that both have, each with the weaker bound.
static void intersect(llvm::DenseMap<Value, int64_t> &bounds, const llvm::DenseMap<Value, int64_t> &others,
                      bool isUpper) {
  SmallVector<Value> lost;
  for (auto &[symbol, bound] : bounds) {
    auto other = others.find(symbol);
    if (other == others.end())
      lost.push_back(symbol);
    else
      bound = isUpper ? std::max(bound, other->second) : std::min(bound, other->second);
  }
  for (Value symbol : lost)
    bounds.erase(symbol);
}

void SlotBounds::join(const SlotBounds &other) {
  if (other.empty)
    return;
  if (empty) {
    *this = other;
    return;
  }
  intersect(lower, other.lower, /*isUpper=*/false);
  intersect(upper, other.upper, /*isUpper=*/true);
}

void SlotBounds::widen(const SlotBounds &before) {
  auto keepSame = [](Bounds &bounds, const Bounds &old) {
    SmallVector<Value> lost;
    for (auto &[symbol, bound] : bounds)
      if (auto it = old.find(symbol); it == old.end() || it->second != bound)
        lost.push_back(symbol);
    for (Value symbol : lost)
      bounds.erase(symbol);
  };
  if (empty || before.empty)
    return;
  keepSame(lower, before.lower);
  keepSame(upper, before.upper);
}

int64_t SlotBounds::getLeast() const {
  auto it = lower.find(Value());
  return it == lower.end() ? 0 : std::max<int64_t>(it->second, 0); // no slot is before the object
}

/// Whether no active request is in an earlier slot.
bool SlotBounds::isAtLeast(LinearIndex slot) const {
  if (!slot.symbol)
    return getLeast() >= slot.constant;
  auto it = lower.find(slot.symbol);
  return it != lower.end() && it->second >= slot.constant;
}

/// Whether no active request is in this slot or a later one.
bool SlotBounds::isBelow(LinearIndex slot) const {
  auto it = upper.find(slot.symbol);
  return it != upper.end() && it->second <= slot.constant;
}

void SlotBounds::start(std::optional<LinearIndex> slot) {
  if (!slot) {
    empty = false;
    lower.clear();
    upper.clear();
    return;
  }
  bool isAfterStart = slot->symbol && isNonNegative(slot->symbol);
  if (empty) {
    clear();
    empty = false;
    lower[slot->symbol] = slot->constant;
    if (isAfterStart)
      lower[Value()] = slot->constant;
    upper[slot->symbol] = slot->constant + 1;
    return;
  }
  Bounds least, most;
  if (auto it = lower.find(slot->symbol); it != lower.end())
    least[slot->symbol] = std::min(it->second, slot->constant);
  if (isAfterStart)
    least[Value()] = std::min(getLeast(), slot->constant);
  if (auto it = upper.find(slot->symbol); it != upper.end())
    most[slot->symbol] = std::max(it->second, slot->constant + 1);
  lower = least;
  upper = most;
}

void SlotBounds::complete(std::optional<LinearIndex> first, std::optional<LinearIndex> count) {
  std::optional<LinearIndex> end = first && count ? add(*first, *count) : std::nullopt;
  if (empty || !end)
    return;
  bool fromFirst = isAtLeast(*first), toEnd = isBelow(*end);
  if (fromFirst && toEnd)
    return clear();
  // Other bounds of the same symbol still hold, so keep the stronger one.
  if (fromFirst) {
    auto [known, isNew] = lower.try_emplace(end->symbol, end->constant);
    known->second = std::max(known->second, end->constant);
  }
  if (toEnd) {
    auto [known, isNew] = upper.try_emplace(first->symbol, first->constant);
    known->second = std::min(known->second, first->constant);
  }
  settle();
}

/// Clears the state if the bounds leave no slot.
void SlotBounds::settle() {
  for (auto &[symbol, bound] : upper)
    if (isAtLeast({symbol, bound}))
      return clear();
}

void SlotBounds::forgetPlaces() {
  lower.clear();
  upper.clear();
}

void SlotBounds::forget(Value value) {
  lower.erase(value);
  upper.erase(value);
}

void SlotBounds::addEqual(LinearIndex a, LinearIndex b) {
  if (empty)
    return;
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (auto it = upper.find(x.symbol); it != upper.end()) {
      int64_t bound = it->second - x.constant + y.constant;
      auto [known, isNew] = upper.try_emplace(y.symbol, bound);
      known->second = std::min(known->second, bound);
    }
    if (auto it = lower.find(x.symbol); it != lower.end()) {
      int64_t bound = it->second - x.constant + y.constant;
      auto [known, isNew] = lower.try_emplace(y.symbol, bound);
      known->second = std::max(known->second, bound);
    }
  }
  settle();
}

void SlotBounds::addAtMost(LinearIndex a, int64_t most) {
  if (empty || !a.symbol)
    return;
  // Slots are less than symbol + bound <= most - constant + bound.
  auto it = upper.find(a.symbol);
  if (it != upper.end() && most - a.constant + it->second <= getLeast())
    clear();
}

void SlotBounds::assign(llvm::ArrayRef<std::pair<Value, Value>> argumentsAndValues, llvm::ArrayRef<Value> all) {
  if (empty)
    return;
  Bounds newLower, newUpper;
  for (auto [argument, value] : argumentsAndValues) {
    LinearIndex index = getLinearIndex(value);
    if (!index.symbol)
      newLower[argument] = getLeast() - index.constant;
    else if (auto it = lower.find(index.symbol); it != lower.end())
      newLower[argument] = it->second - index.constant;
    if (auto it = upper.find(index.symbol); it != upper.end())
      newUpper[argument] = it->second - index.constant;
  }
  for (Value argument : all)
    forget(argument);
  for (auto [argument, bound] : newLower)
    lower[argument] = bound;
  for (auto [argument, bound] : newUpper)
    upper[argument] = bound;
}

bool SlotBounds::operator==(const SlotBounds &other) const {
  return empty == other.empty && lower == other.lower && upper == other.upper;
}
