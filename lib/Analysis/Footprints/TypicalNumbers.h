//===- TypicalNumbers.h - Numbers as programs have them -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_TYPICALNUMBERS_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_TYPICALNUMBERS_H

#include "Comm/Analysis/Footprints/Expr.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace comm {

/// Tells whether something that is right for all numbers is of use for some: sizes of the same order, pointers far
/// apart, the first of several processes. The last trials are of sizes whose third power is an `int`: those of three
/// dimensions. It decides what pays, never what is right.
class TypicalNumbers {
public:
  static constexpr unsigned kTrials = 6, kLargeTrials = 3;
  explicit TypicalNumbers(unsigned trial) : trial(trial) {}

  /// None if the expression has iterations.
  std::optional<Int128> evaluate(const Expr &expr);
  bool holds(const Predicate &predicate);

private:
  std::optional<int64_t> choose(mlir::Value value, unsigned depth = 0);
  std::optional<int64_t> compute(mlir::Operation *op, unsigned depth);
  mlir::Value findFirst(mlir::Value value);

  unsigned trial;
  llvm::DenseMap<mlir::Value, int64_t> seen;
  /// Loads of different places, and for each load the one of the same place.
  llvm::SmallVector<mlir::Value> loads;
  llvm::DenseMap<mlir::Value, mlir::Value> firstLoads;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_TYPICALNUMBERS_H
