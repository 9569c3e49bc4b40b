//===- TypicalNumbers.h - Typical values of symbols -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_TYPICALNUMBERS_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_TYPICALNUMBERS_H

#include "Comm/Analysis/Footprints/Expr.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace comm {

/// Assigns typical values to symbols to tell whether a condition is useful: sizes of the same order, pointers far
/// apart, the first of several processes. In the last trials, the third power of a size fits an `int`, as in
/// three-dimensional codes. Only for decisions about profitability, not correctness.
class TypicalNumbers {
public:
  static constexpr unsigned kTrials = 6, kLargeTrials = 3;
  explicit TypicalNumbers(unsigned trial) : trial(trial) {}

  /// Returns none if the expression contains iterations.
  std::optional<Int128> evaluate(const Expr &expr);
  bool holds(const Predicate &predicate);

private:
  std::optional<int64_t> choose(mlir::Value value, unsigned depth = 0);
  std::optional<int64_t> compute(mlir::Operation *op, unsigned depth);
  std::optional<int64_t> compute(mlir::LLVM::GEPOp op, unsigned depth);
  std::optional<int64_t> compare(mlir::LLVM::ICmpOp op, unsigned depth);
  std::optional<int64_t> chooseStride(mlir::Value value, int64_t most);
  mlir::Value findFirst(mlir::Value value);

  unsigned trial;
  llvm::DenseMap<mlir::Value, int64_t> seen;
  /// One load for each place, and for each load the first one of the same place.
  llvm::SmallVector<mlir::Value> loads;
  llvm::DenseMap<mlir::Value, mlir::Value> firstLoads;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_TYPICALNUMBERS_H
