//===- SplitNest.h - A nest of loops as two: interior and rest ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_SPLITNEST_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_SPLITNEST_H

#include "Iterations/Folds.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Analysis/Footprints/Interior.h"
#include "Comm/Analysis/Profile/SiteProfile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"

namespace comm {

/// From when on two loops are worth it; asked at run time.
struct SplitPrice {
  /// Iterations of the interior, and of its innermost loop.
  int64_t leastIterations = 0, leastOfInnermost = 0;
};

/// The blocks of a unit that it only runs through where it does not come to the loop: the interior has nothing of them.
llvm::SmallPtrSet<mlir::Block *, 4> findBlocksAround(const Unit &unit, mlir::Block *header);

/// A variable of the outermost loop that each iteration loads for the next one: `begin[i + 1]`, which is the next row's
/// `begin[i]`. Where a part of the loop begins, it is loaded again.
struct Reload {
  mlir::BlockArgument argument;
  mlir::Value next;
  /// Operations of the loop that compute `next`, in an order in which they can be copied.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// An ordered fold of a split loop, and what its parts need besides: numbers of folds, -1 where there are none.
struct OrderedFold {
  int total, witness = -1;
  /// Where the rest comes first: the total of what is before the interior.
  int front = -1;
};

/// What is to be done to one unit of a chain.
struct NestSplit {
  Unit unit;
  /// The loops that have a range of their own, outer ones first.
  llvm::SmallVector<FootprintAnalysis::Loop, 3> loops;
  /// At each of these loops, the iterations that are not of the interior.
  llvm::SmallVector<llvm::SmallVector<TouchingIterations>, 3> touched;
  llvm::SmallVector<Reload, 1> reloads;
  /// Where it is false the interior is empty.
  Predicate holds = Predicate::always();
  /// What is carried from the interior to the rest.
  llvm::SmallVector<Fold, 1> folds;
  /// Those whose parts follow each other; found by `addOrderedFolds`.
  llvm::SmallVector<OrderedFold, 1> ordered;
  /// The rest may come first: interior and rest each have a total of their own, and what comes after both gets the two
  /// combined.
  bool combinesFolds = false;
  /// A value of the last iteration is used after the loop: that iteration is one of the rest.
  bool keepsLast = false;
  /// The innermost loop has a few iterations that are not of the interior, on most machines too few for vectors.
  bool hasNarrowEdges = false;
  /// In front of which operation the numbers are computed: an earlier unit that needs them, too; null: of this unit.
  mlir::Operation *boundsAt = nullptr;
  /// None: as many loops as can be.
  std::optional<SplitPrice> price;

  /// Whether that argument of a header is carried.
  bool isFold(mlir::Value argument) const {
    return llvm::any_of(folds, [&](const Fold &fold) { return fold.values.contains(argument); });
  }
  /// Whether that argument of a header grows by its step: it is neither carried nor loaded again.
  bool isNumbered(mlir::BlockArgument argument) const {
    return !isFold(argument) &&
           llvm::none_of(reloads, [&](const Reload &reload) { return reload.argument == argument; });
  }
};

/// Where the loop is left to, by its latch.
mlir::Block *findExit(mlir::Block *header, mlir::Block *latch);
/// Whether control comes from the unit's first loop on all ways to the end of that block, which is in the unit.
bool isAfterLoop(const NestSplit &split, mlir::Block *block, mlir::DominanceInfo &dominance);

/// Finds what is carried. Why the unit cannot be taken apart at these loops, whatever its iterations do; "" if it can.
llvm::StringRef findCarried(NestSplit &split, bool anyOrder);
/// The values that hold the total of a fold after the loop, and that are used after the unit: values of the unit, and
/// arguments of its join. Empty if the unit does more with it than to hand it over.
llvm::SmallVector<mlir::Value> findTotals(const NestSplit &split, const Fold &fold);
/// Calls `fn` with the values that the numbers of the split are computed from.
void forEachSymbol(const NestSplit &split, llvm::function_ref<void(mlir::Value)> fn);
/// Whether all numbers that the split needs can be computed in front of that operation.
bool isComputable(const NestSplit &split, mlir::Operation *at);
/// Takes the sizes among these numbers for ones that memory can have, and asks whether they are: see `SizeLimiter`.
/// Counts and steps stay as they are.
void limitSizes(NestSplit &split);

/// Why a second loop cannot pay, as far as was measured; "" if it may: where all calls that are to overlap it were
/// measured as blocking ones, and take no longer than to begin it. (A wait may be short because of such a loop.)
std::string whyTooShort(llvm::ArrayRef<MPIOpInterface> starts, const SiteProfile &profile);

/// Finds what the split costs and is worth, to an order of magnitude; `depth` loops are within those that are split.
/// With `asks` the price is asked at run time.
void estimate(NestSplit &split, unsigned depth, bool asks);

/// Has the loop carry what the parts of ordered folds need.
void addOrderedFolds(NestSplit &split);

/// Iterations [begin, end).
struct Part {
  mlir::Value begin, end;
};

/// Numbers of the loops of a split, as i64.
struct SplitBounds {
  llvm::SmallVector<mlir::Value> counts;
  llvm::SmallVector<Part> interior;
  /// By how much the arguments of each header grow; null where they do not.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> steps;
};

/// Computes them in a branch in front of the unit, or of an earlier one (`boundsAt`).
SplitBounds computeBounds(const NestSplit &split);

/// Makes the unit two: a copy of it that runs the interior, and the unit itself, which runs all other iterations in the
/// order that they had. Returns the operation that enters the copy.
mlir::Operation *splitNest(const NestSplit &split, const SplitBounds &bounds);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_SPLITNEST_H
