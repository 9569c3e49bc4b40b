//===- LimitSizes.cpp - Sizes that memory can have -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LimitSizes.h"

#include "SplitNest.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

/// No array has more elements in one direction: three of them multiplied fit into what bounds are computed with.
static constexpr unsigned kSizeBits = 40;

namespace {
class Limiter {
public:
  Expr limit(const Expr &expr);
  Predicate limit(const Predicate &predicate) {
    return predicate.map([&](const Expr &expr) { return limit(expr); });
  }
  /// When all that was limited is in its limits.
  Predicate holds() const;

private:
  llvm::SmallSetVector<Value, 8> limited;
};
} // namespace

Expr Limiter::limit(const Expr &expr) {
  return expr.map([&](const Atom &atom) -> Expr {
    switch (atom.kind) {
    case Atom::Kind::Symbol: {
      auto type = dyn_cast<IntegerType>(atom.value.getType());
      if (!type || type.getWidth() <= kSizeBits)
        break;
      limited.insert(atom.value);
      return Expr::wrap(Expr::symbol(atom.value), kSizeBits, /*isSigned=*/true);
    }
    case Atom::Kind::Wrap:
      return Expr::wrap(limit(atom.first), atom.number, atom.isSigned);
    case Atom::Kind::Min:
      return Expr::min(limit(atom.first), limit(atom.second));
    case Atom::Kind::Max:
      return Expr::max(limit(atom.first), limit(atom.second));
    case Atom::Kind::FloorDiv:
      return Expr::floorDiv(limit(atom.first), limit(atom.second));
    case Atom::Kind::Iteration:
      break;
    }
    return Expr::ofAtom(atom);
  });
}

Predicate Limiter::holds() const {
  constexpr int64_t end = int64_t(1) << (kSizeBits - 1);
  Predicate result = Predicate::always();
  for (Value value : limited)
    result = result && Predicate::lessOrEqual(Expr(-end), Expr::symbol(value)) &&
             Predicate::lessOrEqual(Expr::symbol(value), Expr(end - 1));
  return result;
}

Predicate comm::limitSizes(const Predicate &predicate) {
  Limiter limiter;
  Predicate limited = limiter.limit(predicate);
  return limited && limiter.holds();
}

void comm::limitSizes(NestSplit &split) {
  Limiter limiter;
  for (auto &touched : split.touched)
    for (TouchingIterations &each : touched)
      each = {{limiter.limit(each.range.begin), limiter.limit(each.range.end)}, limiter.limit(each.valid)};
  split.holds = limiter.limit(split.holds);
  split.holds = split.holds && limiter.holds();
}
