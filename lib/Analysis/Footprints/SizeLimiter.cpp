//===- SizeLimiter.cpp - Plausible sizes ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/SizeLimiter.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace comm;

/// Assumed limit of elements per dimension. Products of three such sizes fit the arithmetic of bounds.
static constexpr unsigned kSizeBits = 40;

Expr SizeLimiter::limit(const Expr &expr) {
  return expr.map([&](const Atom &atom) -> Expr {
    switch (atom.kind) {
    case Atom::Kind::Symbol: {
      auto type = dyn_cast<IntegerType>(atom.value.getType());
      if (!type || type.getWidth() <= kSizeBits)
        break;
      limited.insert(atom.value);
      return Expr::wrap(Expr::symbol(atom.value), kSizeBits, /*isSigned=*/true);
    }
    case Atom::Kind::Wrap: {
      Expr inner = limit(atom.first);
      // A number of type size_t minus one is assumed not to go below zero.
      if (!atom.isSigned && atom.number > kSizeBits && !inner.isUnknown() && !inner.containsIterations()) {
        notNegative.push_back(inner);
        return inner;
      }
      return Expr::wrap(inner, atom.number, atom.isSigned);
    }
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

Predicate SizeLimiter::holds() const {
  constexpr int64_t end = int64_t(1) << (kSizeBits - 1);
  Predicate result = Predicate::always();
  for (Value value : limited)
    result = result && Predicate::lessOrEqual(Expr(-end), Expr::symbol(value)) &&
             Predicate::lessOrEqual(Expr::symbol(value), Expr(end - 1));
  for (const Expr &number : notNegative)
    result = result && Predicate::lessOrEqual(Expr(), number);
  return result;
}

Predicate comm::limitSizes(const Predicate &predicate) {
  SizeLimiter limiter;
  Predicate limited = limiter.limit(predicate);
  return limited && limiter.holds();
}
