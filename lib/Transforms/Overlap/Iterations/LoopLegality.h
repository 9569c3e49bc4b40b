//===- LoopLegality.h - Whether iterations can be reordered -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_LOOPLEGALITY_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_LOOPLEGALITY_H

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Analysis/Footprints/Interior.h"
#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>
#include <string>

namespace comm {

/// Returns why no two iterations of the unit's loops can be reordered, whatever memory they touch, or "" if they can.
std::string whyNotSplit(const Unit &unit, MemoryOracle &oracle);

/// An operation that the interior of a loop must avoid.
struct Avoided {
  mlir::Operation *op;
  /// Holds its pieces. If null, every conflict that alias analysis cannot rule out counts.
  const Footprint *footprint = nullptr;
  /// If set, only accesses through these arguments count, not what the operation completes.
  std::optional<Arguments> arguments = std::nullopt;
  /// 1 if control reaches the operation, 0 otherwise.
  Expr isEntered = Expr(1);

  /// Returns true if `other`, in one iteration of a loop, may touch memory of this operation. `isFirst`: `other` is
  /// executed first.
  bool mayMeet(mlir::Operation *other, bool isFirst, MemoryOracle &oracle) const;
};

/// The memory accesses of one unit, a loop nest.
class LoopAccesses {
public:
  LoopAccesses(const Unit &unit, FootprintAnalysis &analysis, MemoryOracle &oracle, RowTables *rows = nullptr);
  LoopAccesses(const LoopAccesses &) = delete; // accesses point into the nest
  /// Returns why nothing is known about its iterations, or "".
  llvm::StringRef whyUnknown() const { return unknown; }
  /// Returns true if only addresses are unknown: the loops themselves are understood.
  bool hasUnknownAddresses() const { return areAddressesUnknown; }
  /// Adds the strides of the accesses.
  void addStrides(TypicalStrides &strides) const;
  /// Returns true if an access may touch any byte of an object.
  bool hasUnknownBytes() const;
  llvm::ArrayRef<FootprintAnalysis::Loop> getLoops() const { return nest.loops; }

  /// Removes the iterations that conflict with `others` from the interior, ignoring operations for which `isApart`
  /// holds. Returns an operation that conflicts in every iteration, or null. `areBefore`: the others are executed
  /// before the loop rather than after it.
  mlir::Operation *avoid(Interior &interior, llvm::ArrayRef<Avoided> others, bool areBefore,
                         llvm::function_ref<bool(mlir::Operation *)> isApart);
  /// Returns the condition under which no iteration of the first `depth` loops depends on another one.
  Predicate areIndependent(unsigned depth);
  /// Returns the condition under which this holds if the order of iterations of the first loop does not matter for
  /// scratch memory (FootprintAnalysis::Scratch), provided that its last iteration stays the last one.
  Predicate areIndependentButForScratch(const Unit &unit, FootprintAnalysis &analysis, RowTables *rows);
  /// Returns the condition under which the unit writes none of `bytes`, which `loads` read.
  Predicate writesNothingOf(const Piece &bytes, llvm::ArrayRef<mlir::Operation *> loads);
  /// Returns the condition under which the unit writes nothing that it reads, so that it can be repeated without its
  /// stores; never, if it writes by other operations.
  Predicate readsNothingWritten();
  /// Returns what the iterations outside the interior of the first loops touch, and the code around these loops. `ends`
  /// has the number of iterations before and after the interior for each loop.
  Footprint getRest(llvm::ArrayRef<std::pair<Expr, Expr>> ends);
  /// Returns why the code around the innermost of the first `depth` loops cannot be executed twice, or "" if it can.
  llvm::StringRef whyNotTwice(unsigned depth);

private:
  /// One operation of the unit and its pieces.
  struct Access {
    mlir::Operation *op;
    llvm::SmallVector<NestedPieces, 2> pieces;
    bool writes = false;
    /// Number of loops of the nest around it.
    unsigned depth = 0;
  };
  bool isShort(const Unit &unit);
  void findPrivateMemory(llvm::ArrayRef<llvm::SmallPtrSet<mlir::Block *, 16>> loops);
  /// The pieces accessed through two unrelated pointers, and the conditions under which pairs of them are disjoint.
  struct PointerPair {
    llvm::SmallSetVector<const Piece *, 4> first, second;
    llvm::SmallVector<Predicate> conditions;
  };
  using PointerPairs = llvm::MapVector<std::pair<mlir::Value, mlir::Value>, PointerPair>;
  Predicate areIndependent(const Access &a, const Access &b, llvm::ArrayRef<Expr> counts, PointerPairs &pairs);
  bool isPrivate(const Base &base, unsigned depth) const;
  llvm::SmallVector<Base> findShared();
  static Predicate arePairsApart(PointerPairs &pairs);
  bool mayMeet(const Access &a, const Access &b);
  bool avoid(Interior &interior, const Access &access, const Avoided &other, bool areBefore);

  MemoryOracle &oracle;
  FootprintAnalysis::Nest nest;
  std::vector<Access> accesses;
  /// Maps a variable to the number of loops around the start of its lifetime (`double flux[4]` in the body): no
  /// iteration of these sees what another one left there.
  llvm::DenseMap<mlir::Value, unsigned> privateDepths;
  /// Objects of which no iteration of the first loop reads what another one has written.
  llvm::SmallVector<Base, 2> scratch;
  llvm::StringRef unknown;
  bool areAddressesUnknown = false;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_LOOPLEGALITY_H
