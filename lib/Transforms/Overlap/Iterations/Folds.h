//===- Folds.h - Values that iterations add to in any order -------*- C++ -*-===//
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

/// The blocks of a loop, from its header to its latch; the header alone if the latch is null.
llvm::SmallPtrSet<mlir::Block *, 16> findLoopBlocks(mlir::Block *header, mlir::Block *latch);
/// The same in the order of the region.
llvm::SmallVector<mlir::Block *> listLoopBlocks(mlir::Block *header, mlir::Block *latch);
/// What the latch hands to the header for that argument; null if it does not branch there.
mlir::Value getNext(mlir::Block *latch, mlir::BlockArgument argument);
/// What comes into the outermost loop for that argument; null if several do.
mlir::Value getInitial(mlir::Block *latch, mlir::BlockArgument argument);
/// The one branch that leads into the loop, and nowhere else; null if there is none.
mlir::LLVM::BrOp findEntry(mlir::Block *header, mlir::Block *latch);

/// What a fold adds. Set: it becomes one constant or stays what it was, such as a flag.
enum class FoldKind { None, Sum, Product, And, Or, Xor, SMax, SMin, UMax, UMin, FPSum, FPProduct, FPMax, FPMin, Set };

/// A value that goes from iteration to iteration of all loops of a nest, and to which each adds (a number, a bit, a
/// larger one) what depends on it alone. Its bits in the end are those of any order; if it is ordered, those of parts
/// that follow each other, each with a total of its own.
struct Fold {
  /// Of the header of the outermost loop.
  mlir::BlockArgument argument;
  /// All that it becomes on its way through an iteration.
  llvm::SmallPtrSet<mlir::Value, 8> values;
  /// What adds to it.
  llvm::SmallVector<mlir::Operation *, 2> updates;
  FoldKind kind = FoldKind::None;
  /// What the outermost loop begins with.
  mlir::Value initial;
  /// What it is set to.
  llvm::APInt constant;
  /// An equal number takes the place of the old one: of two zeros, it matters which one is the later.
  bool takesEqual = false;
  /// What is no number takes the place of the old one, and anything takes the place of that. A second total of each
  /// part (`makeWitness`) tells whether that happened.
  bool takesNaN = false;
  /// The order of the parts matters.
  bool isOrdered = false;
  /// It is the second total.
  bool isWitness = false;

  /// Whether two parts of the iterations may each have a total of their own, which `combine` makes one.
  bool canCombine() const;
  /// Whether both may begin with what the loop begins with: to add that twice changes nothing.
  bool isIdempotent() const;
  /// What changes no total.
  mlir::Value makeIdentity(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// What a witness begins with: nothing but what is no number takes its place, except for an equal number.
  mlir::Value makeLimit(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// The total of both; of an ordered fold, the second part is the later one.
  /// `witness`: that of the second part, if the fold has one.
  mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value first, mlir::Value second,
                      mlir::Value witness = {}) const;
  /// Takes back what the updates promise of sums in the order of the program, such as that they do not overflow.
  void dropPromises() const;
};

/// The fold that begins with that argument of the outermost loop's header, if it is one. The last loop is the one whose
/// iterations are distributed: what adds to it is in there. `anyOrder`: sums of floating-point numbers may change
/// their order. Only a single loop has ordered folds: its parts follow each other.
std::optional<Fold> findFold(mlir::BlockArgument argument, llvm::ArrayRef<FootprintAnalysis::Loop> loops,
                             bool anyOrder);

/// Has the loop compute the second total of a fold that takes what is no number. The header gets another argument.
Fold makeWitness(const Fold &fold, const FootprintAnalysis::Loop &loop);
/// Has the loop carry what the fold begins with, unchanged. The header gets another argument.
Fold makeHeld(const Fold &fold, const FootprintAnalysis::Loop &loop);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FOLDS_H
