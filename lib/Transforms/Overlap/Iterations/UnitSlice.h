//===- UnitSlice.h - What decides which addresses a unit uses ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_UNITSLICE_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_UNITSLICE_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace comm {

/// The operations and branches of a unit that the addresses of some of its loads and stores depend on: its loops, the
/// arithmetic of indices, and what is loaded for them. Branches that lead around none of it are left out.
class UnitSlice {
public:
  explicit UnitSlice(const Unit &unit);

  /// Adds what the addresses of these loads and stores need. Why they cannot be computed again; "" if they can.
  std::string add(llvm::ArrayRef<mlir::Operation *> accesses, mlir::PostDominanceInfo &postDominance);

  bool contains(mlir::Operation *op) const { return kept.contains(op); }
  bool contains(mlir::BlockArgument argument) const { return keptArguments.contains(argument); }
  /// Where control goes after the block if its branch is left out; null if it is not.
  mlir::Block *getShortcut(mlir::Block *block) const { return shortcuts.lookup(block); }
  /// Loads of the slice: their values decide, so that they must be there when it runs.
  llvm::ArrayRef<mlir::Operation *> getLoads() const { return loads; }
  /// Values from in front of the unit.
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs.getArrayRef(); }
  /// The blocks that the slice runs through, in the unit's order.
  llvm::SmallVector<mlir::Block *> getBlocks() const;

private:
  void add(mlir::Value value);
  void addEdges(mlir::BlockArgument argument);
  bool isNeeded(mlir::Block *block, mlir::Block *meeting) const;

  Unit unit;
  llvm::DenseSet<mlir::Block *> interior;
  llvm::DenseSet<mlir::Operation *> kept;
  llvm::DenseSet<mlir::BlockArgument> keptArguments;
  llvm::DenseSet<mlir::Block *> used;
  llvm::DenseMap<mlir::Block *, mlir::Block *> shortcuts;
  llvm::SmallVector<mlir::Operation *> loads;
  llvm::SetVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> work;
  std::string why;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_UNITSLICE_H
