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

/// Pointers and numbers that a unit loads: pointers to the rows of an array (`double **`, a vector of vectors), one in
/// each iteration of the unit's outermost loop; one pointer for all iterations (a member of a structure); numbers that
/// are the same in all iterations (the length of an object's rows). A caller that asks for footprints in terms of them
/// has to load them before the unit runs, and to check that the rows are evenly spaced.
class RowTables {
public:
  virtual ~RowTables();
  /// The row of iteration i starts at first + stride * (i + number) if `holds` is true.
  struct Row {
    mlir::Value first, stride;
    int64_t number;
    Predicate holds = Predicate::always();
  };
  /// Returns the row whose pointer is loaded, or none if nothing is known about it. In iteration i the load reads from
  /// base + begin + step * i if `holds` is true. With a step of 0, all iterations use the same row.
  virtual std::optional<Row> getRow(mlir::Operation *load, const Base &base, const Expr &begin, int64_t step,
                                    const Predicate &holds) = 0;
  /// Returns the number that the load reads from base + begin in all iterations, if `holds` is true, or null.
  virtual mlir::Value getNumber(mlir::Operation *load, const Base &base, const Expr &begin, const Predicate &holds) = 0;
  /// Returns 1 if the rows and the numbers are as they were assumed to be.
  virtual mlir::Value getAnswer() = 0;
};

/// Computes footprints of the units of one module in the llvm dialect, using LLVM's scalar evolution. The module must
/// not change during the lifetime of the analysis.
class FootprintAnalysis {
public:
  /// Returns null if the module cannot be translated to LLVM IR.
  static std::unique_ptr<FootprintAnalysis> create(mlir::ModuleOp module);
  /// Uses the translation of an oracle, which must outlive the analysis. Returns null if the oracle has none.
  static std::unique_ptr<FootprintAnalysis> create(MemoryOracle &oracle);
  virtual ~FootprintAnalysis();

  /// Returns what the unit may touch whenever it runs, in terms of symbols that are defined before it.
  virtual Footprint getFootprint(const Unit &unit, RowTables *rows = nullptr) = 0;

  /// The footprint of one iteration of the unit's only outermost loop, in terms of Expr::iteration(0).
  struct Iterations {
    bool isLoop = false;
    Footprint footprint;
    /// How often the loop's header runs if the loop is entered. An upper bound if the loop has other exits.
    Expr count;
  };
  virtual Iterations getIterations(const Unit &unit) = 0;

  /// A loop with a single entry and, if `count` is known, a single exit, at its end.
  struct Loop {
    mlir::Block *header = nullptr, *latch = nullptr;
    /// How often the header runs if the loop is entered. Unknown if the loop may exit elsewhere.
    Expr count;
    /// The condition under which the count is right: the loop's counter does not wrap.
    Predicate holds = Predicate::always();
    /// The increment of each header argument per iteration. Unknown for arguments that are not induction variables.
    llvm::SmallVector<Expr> steps;
  };
  /// Nested loops of a unit, outermost first. Each is the only loop directly inside the one before it.
  struct Nest {
    llvm::SmallVector<Loop, 3> loops;
    /// `footprints[d]` is the footprint of one iteration of the first d loops, in terms of Expr::iteration(0) to (d -
    /// 1). All of them list the same operations in the same order, and each piece names its operation.
    llvm::SmallVector<Footprint, 4> footprints;
  };
  /// With `rows`, the addresses of rows are assumed to be evenly spaced.
  virtual Nest getNest(const Unit &unit, RowTables *rows = nullptr) = 0;

  /// What an object is to the iterations of a loop that use it as scratch memory, in terms of symbols that are defined
  /// before the unit.
  struct Scratch {
    /// Holds if each iteration reads only those bytes of the object that it has written itself before.
    Predicate isOwn = Predicate::never();
    /// Holds if, besides, all iterations write the same bytes, so that the last one leaves what the loop leaves.
    Predicate endsAlike = Predicate::never();
  };
  /// Returns what the object is to iterations of the first loop of the unit's nest.
  virtual Scratch findScratch(const Unit &unit, const Base &base, RowTables *rows = nullptr) = 0;

  /// Returns the condition, in terms of symbols that are defined before the unit, under which control takes none of its
  /// exits, whatever iterations run before the unit's loops end as counted. Never, if that is unknown.
  virtual Predicate findStaying(const Unit &unit) = 0;
};

/// Whether the bytes of an element are unknown at compile time: the datatype is neither predefined nor made by calls
/// that footprints understand, or a stride may have either sign.
bool mustAsk(mlir::Value datatype);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_FOOTPRINTANALYSIS_H
