//===- Footprint.h - Which bytes a unit touches -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation, a loop or a branch may read and write, in expressions that can be computed in front of it. Units
// whose footprints are disjoint can be executed in either order; where that depends on numbers, on a condition.
// docs/footprints.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_FOOTPRINT_H
#define COMM_ANALYSIS_FOOTPRINTS_FOOTPRINT_H

#include "Comm/Analysis/Footprints/Expr.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace comm {

/// Where the bytes of a piece are counted from: a pointer, or a global by its name.
struct Base {
  mlir::Value pointer;
  mlir::StringAttr global;
  /// The address of the global, if the function that it is asked in begins with it.
  mlir::Value globalAddress = {};

  /// To compare with other bases; null where there is none.
  mlir::Value getAddress() const { return pointer ? pointer : globalAddress; }
  bool operator==(const Base &other) const { return pointer == other.pointer && global == other.global; }
  bool isKnown() const { return pointer || global; }
};

/// The same again `count` times, `stride` bytes apart. Strides are not negative.
struct Level {
  Expr stride, count;
};

/// Elements whose places are the values of an array: base + begin + scale * index, for all indices in it.
struct IndexArray {
  Base base;
  /// Bytes of the index array that are looked at.
  Expr begin, size;
  llvm::SmallVector<Level, 2> levels;
  unsigned width = 0;
  int64_t scale = 0;
};

/// Bytes [begin, begin + size) of the base, for each combination of levels.
struct Piece {
  Base base;
  Expr begin, size;
  llvm::SmallVector<Level, 2> levels;
  bool reads = false;
  bool writes = false;
  /// It is touched only in iterations in which all of these are even numbers.
  llvm::SmallVector<Expr, 1> evens;
  /// It is touched only in iterations in which none of these is negative (`i == 0 ? ghost[j] : u[i - 1][j]`).
  llvm::SmallVector<Expr, 1> bounds;
  /// What else the piece depends on. Where it is false any byte of the base's object may be touched.
  Predicate holds = Predicate::always();
  /// Any byte of the base's object, whatever the rest says.
  bool isWhole = false;
  std::optional<IndexArray> indices;
  /// The operation that touches it; null if nobody said so.
  mlir::Operation *op = nullptr;

  /// The first byte, and the first one after the last.
  Expr getBegin() const { return begin; }
  Expr getEnd() const;
  /// Adds a level, or makes the piece larger if the sign of the stride is not known.
  void repeat(const Expr &stride, const Expr &count);
};

/// What a message is of whose datatype is known at run time alone: the stride of its only level is a number that the
/// runtime was asked for. None for other pieces.
std::optional<AskedLayout> getAskedLayout(const Piece &piece);

/// Bytes that may be touched; all pieces together.
struct Footprint {
  llvm::SmallVector<Piece, 4> pieces;
  /// It may touch any memory.
  bool isUnknown = false;
  /// The operations for which that is so: what the others touch is in the pieces.
  llvm::SmallPtrSet<mlir::Operation *, 2> unknownOps;
  /// Those of them of which nothing is unknown but where a request is.
  llvm::SmallPtrSet<mlir::Operation *, 2> unknownRequests;

  void append(const Footprint &other);
  void print(llvm::raw_ostream &os, llvm::function_ref<std::string(mlir::Value)> name) const;
};

/// Makes both count bytes from one place: from the base that they share, or as addresses. False if they have none.
bool align(Piece &a, Piece &b);

/// When no byte of one piece is a byte of the other. `areOtherObjects` tells of two bases that they are in different
/// objects; addresses are compared where it does not know.
using DifferentObjects = llvm::function_ref<bool(const Base &, const Base &)>;
Predicate areDisjoint(const Piece &a, const Piece &b, DifferentObjects areOtherObjects);

/// When neither writes what the other touches.
Predicate areIndependent(const Footprint &a, const Footprint &b, DifferentObjects areOtherObjects);

/// Distinct allocations and globals.
bool areDifferentObjects(const Base &a, const Base &b);

/// Whether a loop makes such steps downwards: for certain, or, where that is not known, for numbers as programs have
/// them. Who relies on it asks.
bool goesDown(const Expr &step);

/// Iterations of a loop, from `begin` to before `end`, both cut to [0, count].
struct IterationRange {
  Expr begin, end;
};

/// The iterations of a loop that may touch bytes [first, last) of the piece's base, as one range: none outside of it
/// does. The piece is that of one iteration, its begin linear in the iteration, its size and levels the same in all.
/// Where `valid` does not hold nothing is known.
struct TouchingIterations {
  IterationRange range;
  Predicate valid = Predicate::never();
};
TouchingIterations findTouching(const Piece &ofIteration, unsigned loop, const Expr &count, const Expr &first,
                                const Expr &last);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_FOOTPRINT_H
