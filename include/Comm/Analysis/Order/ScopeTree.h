//===- ScopeTree.h - Units and chains ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain is a sequence of units that run one after another whenever the first of them runs. A unit is one operation,
// or a single-entry single-exit piece of the control-flow graph: a whole loop, a whole branch. Units of one chain can
// be reordered, loops and branches as if they were statements; the inside of a unit has chains of its own. This is the
// paper's "same control-flow structure" (Nguyen et al., section 4.1), with structures that move as well.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_SCOPETREE_H
#define COMM_ANALYSIS_ORDER_SCOPETREE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace mlir {
class DominanceInfo;
} // namespace mlir

namespace comm {

/// One operation, or a piece of the control-flow graph between two blocks of a chain.
struct Unit {
  /// The operation; for a piece, the terminator that enters it.
  mlir::Operation *op = nullptr;
  /// Where control continues after a piece; null for a single operation. Its arguments are the piece's results.
  mlir::Block *join = nullptr;
  /// The blocks of a piece, join excluded.
  llvm::SmallVector<mlir::Block *, 4> interior;
  /// The edges that leave the piece for a block from which the function does not return (an exception, or a call that
  /// does not come back), or by an exception that the function catches.
  llvm::SmallVector<mlir::BlockOperand *, 0> exits;
  /// Whether the piece contains a cycle.
  bool isLoop = false;

  bool isPiece() const { return join != nullptr; }
  bool leavesAbnormally() const { return !exits.empty(); }
  /// Calls `fn` on all operations of the unit, nested ones included.
  void walk(llvm::function_ref<void(mlir::Operation *)> fn) const;
};

/// Units in program order, in blocks that each run exactly once whenever the first one runs.
class Chain {
public:
  llvm::ArrayRef<Unit> getUnits() const { return units; }
  llvm::ArrayRef<mlir::Block *> getBlocks() const { return blocks; }
  /// Reorders the units: `order[i]` is the index of the unit that becomes the i-th. The caller is responsible for
  /// dominance. Blocks and terminators stay intact, and units are renumbered in the new order.
  void reorder(llvm::ArrayRef<unsigned> order);
  /// The index of the unit that contains the operation, or -1.
  int findUnit(mlir::Operation *op) const;
  /// Returns the index of the unit that defines the value, or -1 if it is defined before the chain.
  int findDefiningUnit(mlir::Value value) const;

private:
  friend class ScopeTree;
  void index() const;

  llvm::SmallVector<mlir::Block *, 4> blocks;
  std::vector<Unit> units;
  /// Computed on demand: most chains are never queried.
  mutable bool isIndexed = false;
  mutable llvm::DenseMap<mlir::Operation *, unsigned> ofOp;
  mutable llvm::DenseMap<mlir::Block *, unsigned> ofBlock; // interior blocks, and joins for their arguments
};

/// All chains of a region and of the regions nested in it.
class ScopeTree {
public:
  explicit ScopeTree(mlir::Region &region);
  /// Uses what the caller knows about dominance already.
  ScopeTree(mlir::Region &region, mlir::DominanceInfo &dominance);
  /// Outermost first.
  llvm::ArrayRef<std::unique_ptr<Chain>> getChains() const { return chains; }
  /// Returns the innermost chain that the operation is a unit of, on its own or inside a piece; null for terminators.
  Chain *getChainOf(mlir::Operation *op) const;

private:
  void addRegion(mlir::Region &region, mlir::DominanceInfo &dominance);
  void addChain(std::unique_ptr<Chain> chain);

  std::vector<std::unique_ptr<Chain>> chains;
  llvm::DenseMap<mlir::Block *, Chain *> chainOf;
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_SCOPETREE_H
