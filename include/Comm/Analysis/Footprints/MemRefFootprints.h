//===- MemRefFootprints.h - Elements that units touch -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distinguishes units that touch elements of one memref, through views and in loops with known bounds, dimension by
// dimension. docs/footprints.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_MEMREFFOOTPRINTS_H
#define COMM_ANALYSIS_FOOTPRINTS_MEMREFFOOTPRINTS_H

#include "Comm/Analysis/Footprints/Expr.h"
#include "Comm/Analysis/Memory/MemRefObjects.h"
#include "Comm/Analysis/Order/ScopeTree.h"

namespace comm {

/// The indices from `first` to `last` of one dimension. Any index if either is unknown.
struct IndexRange {
  Expr first = Expr::unknown(), last = Expr::unknown();
};

/// Elements of a memref that may be touched: those whose index in each dimension is in the range for it.
struct Box {
  /// Defined before the unit. Its layout is the identity, so that distinct indices mean distinct elements.
  mlir::Value root;
  llvm::SmallVector<IndexRange, 4> dims;
  /// Any byte of the root's object may be touched, whatever the ranges say.
  bool isWhole = false;
  bool writes = false;
};

/// What a unit may touch.
struct Boxes {
  llvm::SmallVector<Box, 4> boxes;
  /// The unit may touch any memory.
  bool isUnknown = false;
};

/// Computes the boxes of units of a module of func, memref and similar dialects. During the lifetime of the analysis,
/// the module may change only in the order of its operations.
class MemRefFootprints {
public:
  /// Returns what the unit may touch whenever it runs, in terms of symbols that are defined before it.
  Boxes getBoxes(const Unit &unit);
  /// The condition under which neither touches what the other writes.
  Predicate areIndependent(const Boxes &a, const Boxes &b);

private:
  MemRefObjects objects;
};

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_MEMREFFOOTPRINTS_H
