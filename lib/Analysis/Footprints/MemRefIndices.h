//===- MemRefIndices.h - Indices as expressions -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_MEMREFINDICES_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_MEMREFINDICES_H

#include "Comm/Analysis/Footprints/MemRefFootprints.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"

namespace comm {

/// An integer of the program that may have been computed with wrapping arithmetic.
struct IndexExpr {
  Expr expr = Expr::unknown();
  /// An upper bound of the absolute value of the expression.
  Int128 magnitude = 0;
  /// Whether nothing wrapped. Otherwise the value is only congruent to the expression modulo 2^64.
  bool isExact = true;

  static IndexExpr constant(int64_t value);
  IndexExpr operator+(const IndexExpr &other) const;
  IndexExpr operator-(const IndexExpr &other) const;
  IndexExpr operator*(const IndexExpr &other) const;
  /// Computes offset + index * stride as views do, without wrapping.
  static IndexExpr inView(const IndexExpr &offset, const IndexExpr &index, int64_t stride);
  /// Whether the expression equals the value, given that the value is a valid index.
  bool isIndex() const;
};

/// The indices from `first` to `last`, in one iteration of the surrounding loops.
struct IndexSpan {
  IndexExpr first, last;
};

/// Translates the indices of one unit into expressions over values defined before it and iterations of its loops.
class IndexTranslator {
public:
  explicit IndexTranslator(const Unit &unit);

  /// Whether the value is defined before the unit.
  bool isBefore(mlir::Value value) const;
  IndexExpr translate(mlir::Value value);
  IndexExpr translate(mlir::OpFoldResult value);
  /// Translates a result of an affine map.
  IndexExpr translate(mlir::AffineExpr expr, unsigned numDims, mlir::ValueRange operands);
  /// Returns the indices over all iterations of the unit's loops around the operation.
  IndexRange spread(const IndexSpan &span, mlir::Operation *op);

private:
  /// An induction variable: begin + step * iteration, for iterations from 0 to `last`.
  struct Counted {
    unsigned number = 0;
    IndexExpr value;
    Expr last = Expr::unknown();
  };
  IndexExpr compute(mlir::Value value);
  IndexExpr computeNew(mlir::Operation *op, mlir::Value value);
  const Counted &count(mlir::Operation *loop, unsigned index);
  IndexExpr getBound(mlir::Operation *loop, unsigned index, bool isLower);

  const Unit &unit;
  llvm::SmallPtrSet<mlir::Operation *, 16> inside;
  llvm::SmallPtrSet<mlir::Block *, 8> interior;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, Counted> loops;
  llvm::DenseMap<mlir::Value, IndexExpr> computed;
  unsigned depth = 0;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_MEMREFINDICES_H
