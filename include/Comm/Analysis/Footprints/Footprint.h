//===- Footprint.h - Bytes that a unit touches ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that an operation, a loop or a branch may read and write, in expressions that can be computed before it
// runs. Units with disjoint footprints can run in either order. If that depends on values known only at run time, a
// condition decides. docs/footprints.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_FOOTPRINTS_FOOTPRINT_H
#define COMM_ANALYSIS_FOOTPRINTS_FOOTPRINT_H

#include "Comm/Analysis/Footprints/Expr.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace comm {

/// The origin from which the bytes of a piece are counted: a pointer, or a global by name.
struct Base {
  mlir::Value pointer;
  mlir::StringAttr global;
  /// The address of the global, if the function that uses it computes it at its beginning.
  mlir::Value globalAddress = {};

  /// The value to compare with other bases, or null.
  mlir::Value getAddress() const { return pointer ? pointer : globalAddress; }
  bool operator==(const Base &other) const { return pointer == other.pointer && global == other.global; }
  bool isKnown() const { return pointer || global; }
};

/// `count` repetitions, `stride` bytes apart. Strides are not negative.
struct Level {
  Expr stride, count;
};

/// Elements addressed through an index array: base + begin + scale * index, for each index in the array.
struct IndexArray {
  Base base;
  /// The bytes of the index array that are read.
  Expr begin, size;
  llvm::SmallVector<Level, 2> levels;
  unsigned width = 0;
  int64_t scale = 0;
};

/// The bytes [begin, begin + size) of the base, repeated for each combination of levels.
struct Piece {
  Base base;
  Expr begin, size;
  llvm::SmallVector<Level, 2> levels;
  bool reads = false;
  bool writes = false;
  /// The piece is touched only in iterations in which all of these numbers are even.
  llvm::SmallVector<Expr, 1> evens;
  /// The piece is touched only in iterations in which none of these is negative (`i == 0 ? ghost[j] : u[i - 1][j]`).
  llvm::SmallVector<Expr, 1> bounds;
  /// The condition under which the piece is exact. If it is false, any byte of the base's object may be touched.
  Predicate holds = Predicate::always();
  /// Any byte of the base's object may be touched, whatever the other fields say.
  bool isWhole = false;
  /// Every byte is touched if the operation is executed in each iteration of the loops that the piece is about, and
  /// these end only at their latches.
  bool isExact = false;
  std::optional<IndexArray> indices;
  /// The operation that touches the piece, or null if unknown.
  mlir::Operation *op = nullptr;

  /// The first byte, and one past the last byte.
  Expr getBegin() const { return begin; }
  Expr getEnd() const;
  /// Adds a level, or widens the piece if the sign of the stride is unknown. Returns false if it has widened it.
  bool repeat(const Expr &stride, const Expr &count);
};

/// Returns the layout of a message whose datatype is known only at run time. The stride of the piece's single level is
/// then a value obtained from the runtime. Returns none for other pieces.
std::optional<AskedLayout> getAskedLayout(const Piece &piece);

/// The bytes that a unit may touch: the union of the pieces.
struct Footprint {
  llvm::SmallVector<Piece, 4> pieces;
  /// The unit may touch any memory.
  bool isUnknown = false;
  /// The operations that make the footprint unknown. The pieces describe what the others touch.
  llvm::SmallPtrSet<mlir::Operation *, 2> unknownOps;
  /// Those of `unknownOps` for which only the location of a request is unknown.
  llvm::SmallPtrSet<mlir::Operation *, 2> unknownRequests;

  void append(const Footprint &other);
  void print(llvm::raw_ostream &os, llvm::function_ref<std::string(mlir::Value)> name) const;
};

/// Rewrites both pieces to count bytes from the same origin: the base that they share, or address 0. Returns false if
/// they have no common origin.
bool align(Piece &a, Piece &b);

/// The condition under which no byte of one piece is a byte of the other. `areOtherObjects` tells whether two bases are
/// in different objects. If it does not know, addresses are compared.
using DifferentObjects = llvm::function_ref<bool(const Base &, const Base &)>;
Predicate areDisjoint(const Piece &a, const Piece &b, DifferentObjects areOtherObjects);

/// The condition under which neither footprint writes what the other touches.
Predicate areIndependent(const Footprint &a, const Footprint &b, DifferentObjects areOtherObjects);

/// Whether the bases are distinct allocations or globals.
bool areDifferentObjects(const Base &a, const Base &b);

/// Whether a loop with this step counts down: for certain, or, if that is unknown, for typical values. Code that relies
/// on the answer must check it at run time.
bool goesDown(const Expr &step);

/// The iterations from `begin` up to but excluding `end`, both clamped to [0, count].
struct IterationRange {
  Expr begin, end;
};

/// A range that covers all iterations of a loop that may touch bytes [first, last) of the piece's base. `ofIteration`
/// is the piece of one iteration: its begin is linear in the iteration, and its size and levels are the same in all. If
/// `valid` is false, nothing is known.
struct TouchingIterations {
  IterationRange range;
  Predicate valid = Predicate::never();
};
TouchingIterations findTouching(const Piece &ofIteration, unsigned loop, const Expr &count, const Expr &first,
                                const Expr &last);

} // namespace comm

#endif // COMM_ANALYSIS_FOOTPRINTS_FOOTPRINT_H
