//===- Folds.h - Values that iterations accumulate --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FOLDS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FOLDS_H

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace comm {

/// Returns the blocks of a loop from its header to its latch, or only the header if the latch is null.
llvm::SmallPtrSet<mlir::Block *, 16> findLoopBlocks(mlir::Block *header, mlir::Block *latch);
/// Returns the same blocks in the order of the region.
llvm::SmallVector<mlir::Block *> listLoopBlocks(mlir::Block *header, mlir::Block *latch);
/// Returns the value that the latch passes to the header for that argument, or null if it does not branch there.
mlir::Value getNext(mlir::Block *latch, mlir::BlockArgument argument);
/// Returns the value with which that argument enters the outermost loop, or null if there are several.
mlir::Value getInitial(mlir::Block *latch, mlir::BlockArgument argument);
/// Returns the only branch into the loop if it has no other target, otherwise null.
mlir::LLVM::BrOp findEntry(mlir::Block *header, mlir::Block *latch);

/// What a fold accumulates. Set: the value becomes one constant or stays what it was, such as a flag.
enum class FoldKind { None, Sum, Product, And, Or, Xor, SMax, SMin, UMax, UMin, FPSum, FPProduct, FPMax, FPMin, Set };

/// A value carried through all loops of a nest, to which each iteration adds something (a number, a bit, a larger
/// value) that depends on the iteration alone. The result is bitwise the same in any order. For an ordered fold, it is
/// the same if consecutive parts, each with its own total, are combined in order, and for a repeated one if no NaN is
/// added.
struct Fold {
  /// An argument of the outermost loop's header.
  mlir::BlockArgument argument;
  /// All values that it takes in the course of an iteration.
  llvm::SmallPtrSet<mlir::Value, 8> values;
  /// The operations that add to it.
  llvm::SmallVector<mlir::Operation *, 2> updates;
  FoldKind kind = FoldKind::None;
  /// The value with which the outermost loop begins.
  mlir::Value initial;
  /// The constant of FoldKind::Set.
  llvm::APInt constant;
  /// An equal number replaces the old one, which matters for zeros of different sign.
  bool takesEqual = false;
  /// A NaN replaces the old value, and anything replaces a NaN. A second total of each part (`makeWitness`) tells
  /// whether that happened.
  bool takesNaN = false;
  /// The parts must be combined in order.
  bool isOrdered = false;
  /// The order matters only after a NaN. The parts of a nest are not consecutive, so the program repeats the loops in
  /// their order if a second total of all parts shows that there was one.
  bool isRepeated = false;
  /// This fold is the second total of another one.
  bool isWitness = false;

  /// Returns true if two parts of the iterations may have totals of their own, which `combine` merges.
  bool canCombine() const;
  /// Returns true if both parts may begin with the loop's initial value, because adding it twice changes nothing.
  bool isIdempotent() const;
  /// Returns an initial value that changes no total.
  mlir::Value makeIdentity(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// Returns the initial value of a witness. Only a NaN or an equal number replaces it.
  mlir::Value makeLimit(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// Returns the total of both parts; in an ordered fold, `second` is the later one. `witness` is that of the second
  /// part, if the fold has one.
  mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value first, mlir::Value second,
                      mlir::Value witness = {}) const;
  /// Drops the flags of updates that hold only for sums in program order, such as no-overflow.
  void dropPromises() const;
};

/// Returns the fold that begins with that argument of the outermost loop's header, if there is one. All updates are in
/// the last loop, whose iterations are distributed. `anyOrder`: sums of floating-point numbers may be reordered. Only a
/// single loop has ordered folds, since its parts are consecutive, and only a nest has repeated ones.
std::optional<Fold> findFold(mlir::BlockArgument argument, llvm::ArrayRef<FootprintAnalysis::Loop> loops,
                             bool anyOrder);

/// Makes the loop compute the second total of a fold that takes NaNs, in another argument of each header.
Fold makeWitness(const Fold &fold, const FootprintAnalysis::Loop &loop);
/// Makes the loop carry the initial value of the fold unchanged, in another argument of the header.
Fold makeHeld(const Fold &fold, const FootprintAnalysis::Loop &loop);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FOLDS_H
