//===- SizeLimiter.h - Sizes that memory can have ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_SIZELIMITER_H
#define COMM_ANALYSIS_FOOTPRINTS_SIZELIMITER_H

#include "Comm/Analysis/Footprints/Expr.h"

#include "llvm/ADT/SetVector.h"

namespace comm {

/// Takes sizes of 64 bits for numbers that memory can have: products of three are then small enough to be computed.
/// What is limited is right where `holds`, which asks whether they are such numbers.
class SizeLimiter {
public:
  Expr limit(const Expr &expr);
  Predicate limit(const Predicate &predicate) {
    return predicate.map([&](const Expr &expr) { return limit(expr); });
  }
  /// When all that was limited is in its limits.
  Predicate holds() const;

private:
  llvm::SmallSetVector<mlir::Value, 8> limited;
  /// Taken for numbers that do not wrap.
  llvm::SmallVector<Expr, 2> notNegative;
};

/// The predicate with limited sizes, and whether they are: it holds for no other sizes.
Predicate limitSizes(const Predicate &predicate);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_SIZELIMITER_H
