//===- MemRefFootprints.h - Which elements units touch ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units that touch elements of one memref, through views and in loops with known bounds, told apart dimension by
// dimension. docs/footprints.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_MEMREFFOOTPRINTS_H
#define COMM_ANALYSIS_FOOTPRINTS_MEMREFFOOTPRINTS_H

#include "Comm/Analysis/Footprints/Expr.h"
#include "Comm/Analysis/Memory/MemRefObjects.h"
#include "Comm/Analysis/Order/ScopeTree.h"

namespace comm {

/// Indices from `first` to `last` of one dimension; any index if one of them is unknown.
struct IndexRange {
  Expr first = Expr::unknown(), last = Expr::unknown();
};

/// Elements of a memref that may be touched: those whose indices are in the ranges of all dimensions.
struct Box {
  /// Defined in front of the unit. Its elements have a place each: its layout is the identity.
  mlir::Value root;
  llvm::SmallVector<IndexRange, 4> dims;
  /// Any byte of the root's object, whatever the ranges say.
  bool isWhole = false;
  bool writes = false;
};

/// What a unit may touch.
struct Boxes {
  llvm::SmallVector<Box, 4> boxes;
  /// It may touch any memory.
  bool isUnknown = false;
};

/// Boxes of the units of a module of func, memref and the like, which must not change while the analysis lives, apart
/// from the order of its operations.
class MemRefFootprints {
public:
  /// What the unit may touch whenever it runs, in symbols that are defined before it.
  Boxes getBoxes(const Unit &unit);
  /// When neither touches what the other writes.
  Predicate areIndependent(const Boxes &a, const Boxes &b);

private:
  MemRefObjects objects;
};

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_MEMREFFOOTPRINTS_H
