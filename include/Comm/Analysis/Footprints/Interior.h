//===- Interior.h - Iterations away from avoided bytes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interior of a nest of loops is a box of iterations, one range per loop, none of which touches a byte that must be
// avoided (buffers in flight, what an unpack loop writes). For each pair of an access and an avoided piece, one loop of
// the nest excludes the conflicting iterations: the loop over rows for ghost rows, the loop over columns for ghost
// columns.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_INTERIOR_H
#define COMM_ANALYSIS_FOOTPRINTS_INTERIOR_H

#include "Comm/Analysis/Footprints/Footprint.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace comm {

/// The pieces of one access: element d is the piece of one iteration of the first d loops, in Expr::iteration(0) to (d
/// - 1).
using NestedPieces = llvm::SmallVector<const Piece *, 4>;

class Interior {
public:
  explicit Interior(llvm::ArrayRef<Expr> counts);

  /// Excludes the iterations in which the access touches bytes of the piece. Returns false if no loop can tell them
  /// apart. `isEntered` is 1 if control reaches the code that touches the piece, and 0 otherwise.
  bool avoid(const NestedPieces &access, const Piece &other, DifferentObjects areOtherObjects,
             const Expr &isEntered = Expr(1));

  /// The number of loops that get a range of their own. The others run in full.
  unsigned getDepth() const;
  const Expr &getCount(unsigned level) const { return levels[level].count; }
  /// Returns the ranges of iterations that touch avoided bytes, one for each piece avoided at this level. The first one
  /// carries the assumptions that all of them share.
  llvm::SmallVector<TouchingIterations> getTouched(unsigned level) const;

private:
  /// The bytes at begin + step * iteration, `length` of them, must stay outside of [0, size).
  struct Window {
    Expr begin, step, length, size;
    Predicate valid = Predicate::always();
    /// The length of a row if the avoided bytes recur in each row; zero otherwise. This window is then about the row
    /// that is `shift` rows from the first: all bytes must be within two rows of it, or `instead` holds.
    Expr row;
    int shift = 0;
    Predicate instead = Predicate::never();
    /// 1 if the message has data there, and 0 otherwise. Known only at run time.
    Expr isThere = Expr(1);
    /// 1 if the branch around the avoided piece is entered, and 0 otherwise. If it is 0, the conditions on the piece
    /// need not hold.
    Expr isEntered = Expr(1);

    /// Whether one window can cover both, and, for mayJoin, whether both are of one piece.
    bool mayFollow(const Window &other) const;
    bool mayJoin(const Window &other) const;
    Predicate contains(const Window &other) const;
    Predicate meetsNothing(const Expr &count) const;
    Predicate staysNear(const Expr &count) const;
  };
  struct Level {
    Expr count;
    llvm::SmallVector<Window, 0> windows;
  };
  /// An access in one iteration of the loop: `length` bytes from `rest + step * iteration` on, and what the outer loops
  /// add.
  struct Walk {
    Expr step, rest, length;
    llvm::SmallVector<Expr> outer;
  };
  static std::optional<Walk> findWalk(const Piece &piece, unsigned level);
  bool avoidAt(unsigned level, const Piece &other, const Piece &piece, bool isOneBase, bool asRange);
  bool avoidBounded(unsigned level, const Piece &piece);
  bool tellsNothing(unsigned level, const Window &window) const;
  bool avoidAsked(const NestedPieces &access, const Piece &avoided, const AskedLayout &asked);
  llvm::SmallVector<Window, 3> findColumns(unsigned level, const Walk &walk, const Expr &begin, const Expr &size,
                                           const Expr &row) const;
  void add(unsigned level, Window window);
  llvm::SmallVector<Window, 0> getWindows(unsigned level) const;
  static llvm::SmallVector<Window, 0> joinApart(llvm::SmallVector<Window, 0> windows, const Expr &count);
  /// Returns the iterations that a window touches, and when this is right, provided that the branch is entered.
  TouchingIterations solve(unsigned level, const Window &window) const;
  /// The common assumptions, and `valid` unless the window's branch is not entered.
  Predicate isValid(const Window &window, const Predicate &valid) const;

  llvm::SmallVector<Level, 3> levels;
  /// Whether the piece that is being avoided is reached, as 0 or 1.
  Expr isEntered = Expr(1);
  /// Assumptions about the loop counts, and about accesses that no iteration range can keep apart.
  Predicate assumed = Predicate::always();
  /// The size of the part of `assumed` that is about accesses.
  unsigned numAsked = 0;
};

/// The condition under which no iteration of the first loops touches what another one writes, as far as these two
/// accesses are concerned. `counts` has the trip counts of these loops. Both accesses are inside all of them, and one
/// of them writes.
Predicate areIterationsIndependent(const NestedPieces &a, const NestedPieces &b, llvm::ArrayRef<Expr> counts,
                                   DifferentObjects areOtherObjects);

/// Symbols that loops use as steps over multidimensional arrays (the strides of a view). Nothing in the program states
/// that a plane is as long as its rows together. During the lifetime of this object, typical values satisfy such
/// relations.
class TypicalStrides {
public:
  TypicalStrides();
  ~TypicalStrides();
  TypicalStrides(const TypicalStrides &) = delete;
  /// Adds the steps of one access.
  void add(const NestedPieces &access);
  /// Records that a step, a multiple of one symbol, equals another one, or that two pointers are equal.
  void addEqual(const Expr &step, const Expr &other);
  /// `factor` times the symbol is a step in bytes across this many dimensions: 0 from one element to the next. Each
  /// access touches `size` bytes, or an unknown number (0).
  struct Step {
    int64_t factor;
    unsigned dimensions;
    int64_t size;

    /// Whether the symbol counts bytes rather than elements, as in descriptors of Fortran.
    bool countsBytes() const { return factor < size; }
  };
  std::optional<Step> getStep(mlir::Value number) const;
  /// `factor` times the symbol is a step equal to the expression.
  struct EqualStep {
    int64_t factor;
    Expr other;
  };
  std::optional<EqualStep> getEqual(mlir::Value number) const;
  /// Returns the innermost object that is alive, or null.
  static TypicalStrides *getCurrent();

private:
  llvm::DenseMap<mlir::Value, Step> ofAccesses;
  llvm::DenseMap<mlir::Value, EqualStep> equals;
  TypicalStrides *around;
};

/// Whether the predicate holds for some typical values. Only for decisions about profitability, not correctness.
bool mayHold(const Predicate &predicate);
/// Whether the predicate holds for all typical values.
bool holdsTypically(const Predicate &predicate);

/// Estimates how many iterations of a loop these ranges exclude at its two ends, for typical values. Returns none if
/// that is unknown.
std::optional<int64_t> getTypicalEdges(llvm::ArrayRef<TouchingIterations> touched, const Expr &count);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_INTERIOR_H
