//===- SizeLimiter.h - Plausible sizes --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_SIZELIMITER_H
#define COMM_ANALYSIS_FOOTPRINTS_SIZELIMITER_H

#include "Comm/Analysis/Footprints/Expr.h"

#include "llvm/ADT/SetVector.h"

namespace comm {

/// Assumes that 64-bit sizes are ones that memory can have, so that products of three of them can be computed. The
/// limited expressions are correct where `holds()`, which checks this assumption.
class SizeLimiter {
public:
  Expr limit(const Expr &expr);
  Predicate limit(const Predicate &predicate) {
    return predicate.map([&](const Expr &expr) { return limit(expr); });
  }
  /// The condition under which all assumptions made so far are true.
  Predicate holds() const;

private:
  llvm::SmallSetVector<mlir::Value, 8> limited;
  /// Assumed not to wrap.
  llvm::SmallVector<Expr, 2> notNegative;
};

/// Returns the predicate with limited sizes, in conjunction with the check of the limits.
Predicate limitSizes(const Predicate &predicate);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_SIZELIMITER_H
