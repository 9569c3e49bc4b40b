//===- UnitSlice.h - What a unit's addresses depend on ----------*- C++ -*-===//
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

/// The operations and branches of a unit on which the addresses of some of its loads and stores depend: its loops,
/// index arithmetic, and the loads that feed it. Branches that skip none of these are left out.
class UnitSlice {
public:
  explicit UnitSlice(const Unit &unit);

  /// Adds what the addresses of these loads and stores need. Returns why they cannot be computed again, or "" if they
  /// can.
  std::string add(llvm::ArrayRef<mlir::Operation *> accesses, mlir::PostDominanceInfo &postDominance);

  bool contains(mlir::Operation *op) const { return kept.contains(op); }
  bool contains(mlir::BlockArgument argument) const { return keptArguments.contains(argument); }
  /// Returns where control goes after the block if its branch is left out, otherwise null.
  mlir::Block *getShortcut(mlir::Block *block) const { return shortcuts.lookup(block); }
  /// The loads of the slice. Their values determine addresses, so they must be available when the slice runs.
  llvm::ArrayRef<mlir::Operation *> getLoads() const { return loads; }
  /// The values from before the unit.
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs.getArrayRef(); }
  /// Returns the blocks through which the slice runs, in the unit's order.
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
