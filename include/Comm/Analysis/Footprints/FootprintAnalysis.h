//===- FootprintAnalysis.h - Footprints of units ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_FOOTPRINTANALYSIS_H
#define COMM_ANALYSIS_FOOTPRINTS_FOOTPRINTANALYSIS_H

#include "Comm/Analysis/Footprints/Footprint.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {

class MemoryOracle;

/// Pointers that a unit loads: to the rows of an array (`double **`, a vector of vectors), a row in each iteration of
/// its outermost loop, or one pointer for all iterations (a member of a structure); and numbers that are the same in
/// all iterations (how long the rows of an object are). Who asks for footprints with them finds out before the unit
/// runs what they are, and whether the rows are evenly spaced.
class RowTables {
public:
  virtual ~RowTables();
  /// The row of iteration i is at first + stride * (i + number).
  struct Row {
    mlir::Value first, stride;
    int64_t number;
  };
  /// The row that the load finds. In iteration i it looks at base + begin + step * i; that is so where `holds` is true.
  /// A step of 0: the same row in all iterations.
  virtual Row getRow(mlir::Operation *load, const Base &base, const Expr &begin, int64_t step,
                     const Predicate &holds) = 0;
  /// The number that the load finds at base + begin in all iterations, where `holds` is true.
  virtual mlir::Value getNumber(mlir::Operation *load, const Base &base, const Expr &begin, const Predicate &holds) = 0;
  /// 1 if the rows are where they are said to be, and the numbers what they are said to be.
  virtual mlir::Value getAnswer() = 0;
};

/// Footprints of the units of one module in the llvm dialect, by LLVM's scalar evolution. The module must not change
/// while the analysis lives.
class FootprintAnalysis {
public:
  /// Null if the module cannot be translated to LLVM IR.
  static std::unique_ptr<FootprintAnalysis> create(mlir::ModuleOp module);
  /// The same with the translation of an oracle, which has to live longer; null if that has none.
  static std::unique_ptr<FootprintAnalysis> create(MemoryOracle &oracle);
  virtual ~FootprintAnalysis();

  /// What the unit may touch whenever it runs, in symbols that are defined before it.
  virtual Footprint getFootprint(const Unit &unit) = 0;

  /// The same for each iteration of the one outermost loop of a unit, in Expr::iteration(0).
  struct Iterations {
    bool isLoop = false;
    Footprint footprint;
    /// How often the loop's header runs, if the loop runs at all; an upper bound where it has other exits.
    Expr count;
  };
  virtual Iterations getIterations(const Unit &unit) = 0;

  /// A loop with one way in and, if `count` is known, one way out, at its end.
  struct Loop {
    mlir::Block *header = nullptr, *latch = nullptr;
    /// How often the header runs, if the loop runs at all; unknown if it may end in another way.
    Expr count;
    /// What each argument of the header grows by in an iteration; unknown if that is no number of the kind.
    llvm::SmallVector<Expr> steps;
  };
  /// Loops of a unit, each the only one directly in the one before it, the unit's only outermost one first.
  struct Nest {
    llvm::SmallVector<Loop, 3> loops;
    /// `footprints[d]`: of what is done in one iteration of the first d loops, in Expr::iteration(0) to (d - 1). The
    /// pieces are the same operations in the same order, each with its operation.
    llvm::SmallVector<Footprint, 4> footprints;
  };
  /// With `rows`, the addresses of rows are taken for what they are if the rows are evenly spaced.
  virtual Nest getNest(const Unit &unit, RowTables *rows = nullptr) = 0;
};

/// Whether no function around says which bytes an element of the datatype has: it is neither predefined nor made in a
/// way that footprints know.
bool mustAsk(mlir::Value datatype);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_FOOTPRINTANALYSIS_H
