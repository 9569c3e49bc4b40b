//===- Interior.h - Iterations that touch nothing of what is avoided -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interior of a nest of loops is a box of iterations, a range of each loop, none of which touches a byte of what is
// avoided (buffers in flight, what an unpack loop writes). Each pair of an access and an avoided piece is taken out by
// one loop of the nest: ghost rows by the loop over rows, ghost columns by the loop over columns.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_INTERIOR_H
#define COMM_ANALYSIS_FOOTPRINTS_INTERIOR_H

#include "Comm/Analysis/Footprints/Footprint.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace comm {

/// What an access of a nest touches: element d in one iteration of the first d loops, in Expr::iteration(0) to (d - 1).
using NestedPieces = llvm::SmallVector<const Piece *, 4>;

class Interior {
public:
  explicit Interior(llvm::ArrayRef<Expr> counts);

  /// Takes iterations in which the access touches bytes of the piece out. False if no loop's iterations can be told.
  /// `isEntered`: 0 where control does not come to what touches the piece, or 1.
  bool avoid(const NestedPieces &access, const Piece &other, DifferentObjects areOtherObjects,
             const Expr &isEntered = Expr(1));

  /// How many of the loops have a range of their own; the others run as a whole.
  unsigned getDepth() const;
  const Expr &getCount(unsigned level) const { return levels[level].count; }
  /// What is touched at a level: one range for each that had to be avoided there. What is assumed of all of them is
  /// said of the first one.
  llvm::SmallVector<TouchingIterations> getTouched(unsigned level) const;

private:
  /// Bytes at begin + step * iteration, of that length, must not be in [0, size).
  struct Window {
    Expr begin, step, length, size;
    Predicate valid = Predicate::always();
    /// What is avoided comes again in each row of that many bytes, and this window is about one of these, `shift` rows
    /// from the first: all bytes must be within two rows of it, or `instead` holds. Zero without rows.
    Expr row;
    int shift = 0;
    Predicate instead = Predicate::never();
    /// 0 if the message turns out to have nothing there, or 1.
    Expr isThere = Expr(1);
    /// The same where the branch is not entered: then nothing said of what is in it need be true.
    Expr isEntered = Expr(1);

    /// Whether one window can keep off what both do; and if so, of one piece.
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
  /// An access in one iteration of the loop: `length` bytes from `rest + step * iteration` on, and what the loops
  /// around it add.
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
  /// The iterations that a window touches, and when that is right if its branch is entered.
  TouchingIterations solve(unsigned level, const Window &window) const;
  /// Whether nothing is wrong where that is so of the window.
  Predicate isValid(const Window &window, const Predicate &valid) const;

  llvm::SmallVector<Level, 3> levels;
  /// Of what is being avoided.
  Expr isEntered = Expr(1);
  /// Of the counts, and of what no iteration tells apart.
  Predicate assumed = Predicate::always();
  /// How large that is, as far as it is asked of accesses.
  unsigned numAsked = 0;
};

/// When no iteration of the first loops, of which `counts` has the numbers of iterations, touches what another one
/// writes, as far as these two accesses go: both are inside of all these loops, and one of them writes.
Predicate areIterationsIndependent(const NestedPieces &a, const NestedPieces &b, llvm::ArrayRef<Expr> counts,
                                   DifferentObjects areOtherObjects);

/// Numbers by which loops step over arrays of several dimensions (the strides of a view), of which nothing says that a
/// plane is as long as its rows together. While the object lives, numbers as programs have them are so.
class TypicalStrides {
public:
  TypicalStrides();
  ~TypicalStrides();
  TypicalStrides(const TypicalStrides &) = delete;
  /// Adds those of one access.
  void add(const NestedPieces &access);
  /// Says that the step, a multiple of one number, is as long as another one; or that a pointer leads to where another
  /// one does.
  void addEqual(const Expr &step, const Expr &other);
  /// So many times the number is a step of bytes that leads over so many dimensions: over none from one element to the
  /// next one.
  struct Step {
    int64_t factor;
    unsigned dimensions;
  };
  std::optional<Step> getStep(mlir::Value number) const;
  /// So many times the number is a step that is equal to the expression.
  struct EqualStep {
    int64_t factor;
    Expr other;
  };
  std::optional<EqualStep> getEqual(mlir::Value number) const;
  /// The object that was made last; null if there is none.
  static TypicalStrides *getCurrent();

private:
  llvm::DenseMap<mlir::Value, Step> ofAccesses;
  llvm::DenseMap<mlir::Value, EqualStep> equals;
  TypicalStrides *around;
};

/// Whether the predicate holds for some numbers as programs have them: a decision about what pays, not about what is
/// right.
bool mayHold(const Predicate &predicate);
/// The same for all such numbers.
bool holdsTypically(const Predicate &predicate);

/// About how many iterations of a loop these ranges leave at its ends, for numbers as programs have them: from the
/// first to where a range near it ends, and from where one near the last begins. None if that is not known.
std::optional<int64_t> getTypicalEdges(llvm::ArrayRef<TouchingIterations> touched, const Expr &count);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_INTERIOR_H
