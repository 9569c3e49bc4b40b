//===- LoopLegality.h - Whether iterations may change their order -*- C++ -*-===//
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

/// Why no two iterations of the unit's loops may change places, whatever memory they touch; "" if they may.
std::string whyNotSplit(const Unit &unit, MemoryOracle &oracle);

/// An operation that a loop has to keep off.
struct Avoided {
  mlir::Operation *op;
  /// Its pieces are in it; null: what alias analysis does not tell apart is met.
  const Footprint *footprint = nullptr;
  /// What it touches by these arguments alone, whatever it completes.
  std::optional<Arguments> arguments = std::nullopt;
  /// 0 where control does not come to it, or 1.
  Expr isEntered = Expr(1);

  /// Whether the operation, in one iteration of a loop, may touch something of it. `isFirst`: it comes after that loop.
  bool mayMeet(mlir::Operation *other, bool isFirst, MemoryOracle &oracle) const;
};

/// What the operations of one unit, a nest of loops, do to memory.
class LoopAccesses {
public:
  LoopAccesses(const Unit &unit, FootprintAnalysis &analysis, MemoryOracle &oracle, RowTables *rows = nullptr);
  LoopAccesses(const LoopAccesses &) = delete; // accesses point into the nest
  /// Why nothing can be said of its iterations; "" if something can.
  llvm::StringRef whyUnknown() const { return unknown; }
  /// Whether this is all that is missing: its loops are known.
  bool hasUnknownAddresses() const { return areAddressesUnknown; }
  /// Adds the numbers by which the loops step over arrays.
  void addStrides(TypicalStrides &strides) const;
  /// Whether an access is somewhere in an object, and nobody knows where.
  bool hasUnknownBytes() const;
  llvm::ArrayRef<FootprintAnalysis::Loop> getLoops() const { return nest.loops; }

  /// Takes the iterations that touch something of the others out of the interior, by other operations than those for
  /// which `isApart` holds. The operation that touches it in all of them, or null. `areBefore`: the others are executed
  /// before the loop, or else after it.
  mlir::Operation *avoid(Interior &interior, llvm::ArrayRef<Avoided> others, bool areBefore,
                         llvm::function_ref<bool(mlir::Operation *)> isApart);
  /// When no iteration of the first `depth` loops depends on another one.
  Predicate areIndependent(unsigned depth);
  /// When the unit writes nothing of these bytes, which the loads read.
  Predicate writesNothingOf(const Piece &bytes, llvm::ArrayRef<mlir::Operation *> loads);
  /// What the iterations of the first loops that are not of the interior touch, and what is around them: `ends` has of
  /// each loop how many iterations are before the interior, and how many after it.
  Footprint getRest(llvm::ArrayRef<std::pair<Expr, Expr>> ends);
  /// Why what is around the innermost of the first `depth` loops cannot be executed twice; "" if it can.
  llvm::StringRef whyNotTwice(unsigned depth);

private:
  /// The pieces of one operation of the unit.
  struct Access {
    mlir::Operation *op;
    llvm::SmallVector<NestedPieces, 2> pieces;
    bool writes = false;
    /// How many loops of the nest are around it.
    unsigned depth = 0;
  };
  bool isShort(const Unit &unit);
  void findPrivateMemory(llvm::ArrayRef<llvm::SmallPtrSet<mlir::Block *, 16>> loops);
  /// What two pointers of which nothing is known touch, and when pieces of the one and the other are apart.
  struct PointerPair {
    llvm::SmallSetVector<const Piece *, 4> first, second;
    llvm::SmallVector<Predicate> conditions;
  };
  using PointerPairs = llvm::MapVector<std::pair<mlir::Value, mlir::Value>, PointerPair>;
  Predicate areIndependent(const Access &a, const Access &b, llvm::ArrayRef<Expr> counts, PointerPairs &pairs);
  bool mayMeet(const Access &a, const Access &b);
  bool avoid(Interior &interior, const Access &access, const Avoided &other, bool areBefore);

  MemoryOracle &oracle;
  FootprintAnalysis::Nest nest;
  std::vector<Access> accesses;
  /// Variables that begin a life in each iteration of so many loops (`double flux[4]` in the body): what one iteration
  /// leaves there no other one finds.
  llvm::DenseMap<mlir::Value, unsigned> privateDepths;
  llvm::StringRef unknown;
  bool areAddressesUnknown = false;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_LOOPLEGALITY_H
