//===- PostDominance.h - Which block surely comes next ------------*- C++ -*-===//
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

/// Immediate post-dominators of a region's blocks, as if every path that does not return from the function were never
/// taken. MLIR's own post-dominator tree counts such paths (a throw, an `unreachable`), and then next to nothing
/// post-dominates anything in C++ code. Where nothing returns (a main that ends by exit), `exit(0)` does. Cooper,
/// Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
class PostDominance {
public:
  /// What an exception does after somebody has caught it is a path, or likewise as if it were never taken.
  enum class Exceptions { Caught, Never };
  explicit PostDominance(mlir::Region &region, Exceptions exceptions = Exceptions::Caught);
  /// True if a return can be reached from the block, or what stands for one.
  bool canReturn(mlir::Block *block) const { return number.count(block); }
  /// Whether a return can be reached from where the edge leads, and the edge is a path that may be taken.
  bool isTaken(mlir::BlockOperand &edge) const;
  /// The immediate post-dominator; null if it is the function's end or if the block cannot return.
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
