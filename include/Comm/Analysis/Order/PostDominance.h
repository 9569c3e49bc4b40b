//===- PostDominance.h - Post-dominators ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_POSTDOMINANCE_H
#define COMM_ANALYSIS_ORDER_POSTDOMINANCE_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace comm {

/// Immediate post-dominators of a region's blocks, ignoring every path that does not return from the function. MLIR's
/// own post-dominator tree includes such paths (a throw, an `unreachable`), so that in C++ code hardly any block
/// post-dominates another. If nothing returns (a main that ends with exit), `exit(0)` counts as a return. Cooper,
/// Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
class PostDominance {
public:
  /// Whether paths that continue after an exception is caught count, or are ignored as well.
  enum class Exceptions { Caught, Never };
  explicit PostDominance(mlir::Region &region, Exceptions exceptions = Exceptions::Caught);
  /// Whether a return, or what counts as one, can be reached from the block.
  bool canReturn(mlir::Block *block) const { return number.count(block); }
  /// Whether the edge counts and a return can be reached from its target.
  bool isTaken(mlir::BlockOperand &edge) const;
  /// Returns the immediate post-dominator; null if that is the function's end, or if the block cannot return.
  mlir::Block *getImmediate(mlir::Block *block) const;

private:
  bool isCounted(mlir::BlockOperand &edge) const;
  unsigned intersect(unsigned a, unsigned b) const;

  const Exceptions exceptions;
  // Numbers in postorder of the reversed graph; the virtual exit has the largest.
  llvm::DenseMap<mlir::Block *, unsigned> number;
  std::vector<mlir::Block *> blocks;
  std::vector<int> immediate;
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_POSTDOMINANCE_H
