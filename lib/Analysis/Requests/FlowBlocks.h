//===- FlowBlocks.h - Order of blocks for data flow -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_REQUESTS_FLOWBLOCKS_H
#define COMM_LIB_ANALYSIS_REQUESTS_FLOWBLOCKS_H

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

namespace comm {

/// Starts whose requests may be active, by their index in the object, each with the headers of loops that have been
/// passed again since (by number, see FlowBlocks).
using ActiveStarts = std::map<unsigned, llvm::BitVector>;
/// Adds what is active on another path.
void join(ActiveStarts &starts, const ActiveStarts &others);

/// The blocks of a function in reverse post-order, and its loops.
class FlowBlocks {
public:
  explicit FlowBlocks(mlir::Region &region);
  llvm::ArrayRef<mlir::Block *> getOrder() const { return order; }
  unsigned getNumber(mlir::Block *block) const { return numbers.lookup(block); }
  bool contains(mlir::Block *block) const { return numbers.contains(block); }
  bool isBackEdge(mlir::Block *from, mlir::Block *to) const { return getNumber(to) <= getNumber(from); }
  /// Returns the blocks of the loop with this header, or all blocks if it has several entries.
  const llvm::BitVector &getLoop(mlir::Block *header);
  /// Returns the blocks for which the pointer's value on entry is used in the block or later.
  llvm::BitVector findLive(mlir::Value pointer);
  mlir::DominanceInfo &getDominance() { return dominance; }

private:
  mlir::DominanceInfo dominance;
  llvm::SmallVector<mlir::Block *> order;
  llvm::DenseMap<mlir::Block *, unsigned> numbers;
  llvm::DenseMap<mlir::Block *, llvm::BitVector> loops;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTS_FLOWBLOCKS_H
