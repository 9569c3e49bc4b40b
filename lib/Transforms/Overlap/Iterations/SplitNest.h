//===- SplitNest.h - Split a loop nest: interior and rest -------*- C++ -*-===//
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
#include "mlir/IR/IRMapping.h"

namespace comm {

/// The size of the interior from which a split pays, checked at run time.
struct SplitPrice {
  /// Iterations of the interior, and of its innermost loop.
  int64_t leastIterations = 0, leastOfInnermost = 0;
  /// Iterations between two others that are left out.
  int64_t leastOfRun = 1;
};

/// An interior that the program finds and executes in turns, a tile of iterations at a time. Variables, of type i64
/// unless said otherwise.
struct RunTiles {
  /// How many runs all tiles so far have found, and where the last one ends.
  mlir::Value numFound, foundEnd;
  /// Those that have been executed.
  mlir::Value numExecuted, executedEnd;
  /// Whether there is another tile (i1).
  mlir::Value goesOn;
  /// Where the next tile begins, and where control leaves the tiles; this block has no successor yet.
  mlir::Block *next, *leave;
};

/// Consecutive iterations of the interior where it has gaps: in memory, two i32 each, the first iteration and the one
/// after the last.
struct RunList {
  /// A pointer to the first number.
  mlir::Value numbers;
  /// How many there are, as i64. Null if they are found in tiles.
  mlir::Value count;
  std::optional<RunTiles> tiles;
};

/// Returns the blocks of a unit that run only if control does not reach the loop. The interior contains none of them.
llvm::SmallPtrSet<mlir::Block *, 4> findBlocksAround(const Unit &unit, mlir::Block *header);

/// A variable of the outermost loop that each iteration loads for the next one: `begin[i + 1]` is the next row's
/// `begin[i]`. Each part of the loop loads it again where it begins.
struct Reload {
  mlir::BlockArgument argument;
  mlir::Value next;
  /// Operations of the loop that compute `next`, in an order in which they can be copied.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// An ordered fold of a split loop and the other folds that its parts need, as indices; -1 if there is none.
struct OrderedFold {
  int total, witness = -1;
  /// If the rest comes first: the total of the iterations before the interior.
  int front = -1;
};

/// A repeated fold of a split nest and its second total, as indices.
struct RepeatedFold {
  int total, witness;
};

/// The plan for splitting one unit of a chain.
struct NestSplit {
  Unit unit;
  /// The loops that get ranges of their own, outermost first.
  llvm::SmallVector<FootprintAnalysis::Loop, 3> loops;
  /// For each of these loops, the iterations outside the interior.
  llvm::SmallVector<llvm::SmallVector<TouchingIterations>, 3> touched;
  llvm::SmallVector<Reload, 1> reloads;
  /// Where this is false, the interior is empty.
  Predicate holds = Predicate::always();
  /// The folds carried from the interior to the rest.
  llvm::SmallVector<Fold, 1> folds;
  /// Those among them whose parts must be combined in order; set by `addOrderedFolds`.
  llvm::SmallVector<OrderedFold, 1> ordered;
  /// Those for which the program may have to repeat the loops; set by `addOrderedFolds`.
  llvm::SmallVector<RepeatedFold, 1> repeated;
  /// The rest may come first: interior and rest each have a total of their own, and the code after both gets the two
  /// combined.
  bool combinesFolds = false;
  /// The interior is the first iterations, so it may pass anything to the rest.
  bool keepsOrder = false;
  /// The rest gets the last iteration, because a value of it is used after the loop.
  bool keepsLast = false;
  /// The innermost loop has only a few iterations outside the interior, too few for vectors on most machines.
  bool hasNarrowEdges = false;
  /// The operation before which the numbers are computed: an earlier unit that needs them, too. Null: this unit.
  mlir::Operation *boundsAt = nullptr;
  /// If not set, split as many loops as possible.
  std::optional<SplitPrice> price;

  /// Returns true if that argument of a header is carried as a fold.
  bool isFold(mlir::Value argument) const {
    return llvm::any_of(folds, [&](const Fold &fold) { return fold.values.contains(argument); });
  }
  /// Returns true if that argument of a header grows by its step: it is neither carried nor loaded again.
  bool isNumbered(mlir::BlockArgument argument) const {
    return !isFold(argument) &&
           llvm::none_of(reloads, [&](const Reload &reload) { return reload.argument == argument; });
  }
};

/// Returns the block to which the latch leaves the loop.
mlir::Block *findExit(mlir::Block *header, mlir::Block *latch);
/// Returns true if control reaches the end of that block of the unit only through the unit's first loop.
bool isAfterLoop(const NestSplit &split, mlir::Block *block, mlir::DominanceInfo &dominance);

/// Finds what the loops carry. Returns why the unit cannot be split at these loops, whatever its iterations do, or ""
/// if it can.
llvm::StringRef findCarried(NestSplit &split, bool anyOrder);
/// Returns the values that hold the total of a fold after the loop and are used after the unit: values of the unit, and
/// arguments of its join. Returns none if the unit does more with the total than pass it on.
llvm::SmallVector<mlir::Value> findTotals(const NestSplit &split, const Fold &fold);
/// Calls `fn` with the values from which the numbers of the split are computed.
void forEachSymbol(const NestSplit &split, llvm::function_ref<void(mlir::Value)> fn);
/// Returns true if all numbers of the split can be computed before that operation.
bool isComputable(const NestSplit &split, mlir::Operation *at);
/// Assumes that the sizes among these numbers are possible in memory, and adds that as a condition: see `SizeLimiter`.
/// Counts and steps stay as they are.
void limitSizes(NestSplit &split);

/// Returns why a second loop cannot pay according to the profile, or "" if it may. It cannot if all calls to be
/// overlapped were measured as blocking calls and take no longer than starting a second loop. (A wait may be short
/// because of such a loop.)
std::string whyTooShort(llvm::ArrayRef<MPIOpInterface> starts, const SiteProfile &profile);

/// Estimates cost and benefit of the split, to an order of magnitude; `depth` loops are inside the split ones. `asks`:
/// the program checks the price at run time.
void estimate(NestSplit &split, unsigned depth, bool asks);

/// Makes the loops carry what the parts of ordered folds and of repeated ones need.
void addOrderedFolds(NestSplit &split);

/// Copies the unit of the split: its blocks to the place before `around`, to which the copies of branches around
/// the loops lead, and its branch to the end of `enter`. Returns the operations, the branch last. `mapping` has what
/// stands for the unit's join.
llvm::SmallVector<mlir::Operation *> copyUnit(mlir::OpBuilder &builder, const NestSplit &split, mlir::Block *enter,
                                              mlir::Block *around, mlir::IRMapping &mapping);

/// Adds a copy of the unit after it, which executes the loops in their order, stores nothing, and computes the totals
/// of repeated folds. Returns the branch that enters the copy, whose condition is to be set.
mlir::LLVM::CondBrOp repeatNest(const NestSplit &split);

/// Iterations [begin, end).
struct Part {
  mlir::Value begin, end;
};

/// The numbers of a split, as i64.
struct SplitBounds {
  /// The branch that enters their computation, which divides by nothing below one.
  mlir::Operation *entry = nullptr;
  llvm::SmallVector<mlir::Value> counts;
  llvm::SmallVector<Part> interior;
  /// What the program measures of an inspector; it is told where the rest begins.
  std::optional<mlir::FlatSymbolRefAttr> measurements;
  /// The parts of the interior if it has gaps (of one loop).
  std::optional<RunList> runs;
  /// How much the arguments of each header grow per iteration; null if they do not.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> steps;

  /// Sets the parts of the interior. There are none if the interior is empty.
  void setRuns(const RunList &found, mlir::Operation *unit);
};

/// Computes the numbers in a branch before the unit, or of an earlier one (`boundsAt`).
SplitBounds computeBounds(const NestSplit &split);

/// Splits the unit into a copy that runs the interior and the unit itself, which runs all other iterations in their
/// original order. Returns the operation that enters the copy.
mlir::Operation *splitNest(const NestSplit &split, const SplitBounds &bounds);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_SPLITNEST_H
