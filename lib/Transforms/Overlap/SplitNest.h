//===- SplitNest.h - A nest of loops as two: interior and rest ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_SPLITNEST_H
#define COMM_LIB_TRANSFORMS_OVERLAP_SPLITNEST_H

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Analysis/Footprints/Interior.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace comm {

/// The blocks of a loop, from its header to its latch; the header alone if the latch is null.
llvm::SmallPtrSet<mlir::Block *, 16> findLoopBlocks(mlir::Block *header, mlir::Block *latch);

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

/// What is to be done to one unit of a chain.
struct NestSplit {
  Unit unit;
  /// The loops that have a range of their own, outer ones first.
  llvm::SmallVector<FootprintAnalysis::Loop, 3> loops;
  /// At each of these loops, the iterations that are not of the interior.
  llvm::SmallVector<llvm::SmallVector<TouchingIterations>, 3> touched;
  llvm::SmallVector<Reload, 1> reloads;
  bool isReloaded(mlir::BlockArgument argument) const {
    return llvm::any_of(reloads, [&](const Reload &reload) { return reload.argument == argument; });
  }
  /// Where it is false the interior is empty.
  Predicate holds = Predicate::always();
};

/// Why the unit cannot be taken apart at these loops, whatever its iterations do; "" if it can.
llvm::StringRef whyNotSplit(const NestSplit &split);
/// Whether all numbers that the split needs can be computed in front of the unit.
bool isComputable(const NestSplit &split);

/// Takes sizes of 64 bits for numbers that memory can have, and asks whether they are: products of three are then small
/// enough to be computed. Counts and steps stay as they are.
void limitSizes(NestSplit &split);

/// Makes the unit two: a copy of it that runs the interior, and the unit itself, which runs all other iterations in the
/// order that they had. Returns the operation that enters the copy.
mlir::Operation *splitNest(const NestSplit &split);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_SPLITNEST_H
