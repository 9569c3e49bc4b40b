//===- SizeLoops.cpp - Loops over the number of processes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeLoops.h"

#include "RankDependence.h"

#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

/// Whether control may get from the beginning of one block to the other without leaving the unit.
static bool reaches(const llvm::SmallPtrSetImpl<Block *> &inside, Block *from, Block *to) {
  return findReachable<Block>(from, [&](Block *block) { return !inside.contains(block); }).contains(to);
}

bool comm::loopsBySize(const Unit &unit, ArrayRef<MPIOpInterface> messages) {
  if (!unit.isPiece() || !unit.isLoop || messages.empty())
    return false;
  llvm::SmallPtrSet<Block *, 8> inside(unit.interior.begin(), unit.interior.end());
  std::unique_ptr<RankDependence> sizes;
  for (MPIOpInterface message : messages) {
    Block *loop = message->getBlock();
    if (!inside.contains(loop))
      continue;
    for (Block *block : unit.interior) {
      // A branch of the loop around the message with one way that leaves it.
      auto comesBack = [&](Block *successor) { return reaches(inside, successor, loop); };
      if (block->getNumSuccessors() < 2 || !reaches(inside, loop, block) ||
          llvm::all_of(block->getSuccessors(), comesBack) || llvm::none_of(block->getSuccessors(), comesBack))
        continue;
      if (!sizes)
        sizes = std::make_unique<RankDependence>(message->getParentOfType<ModuleOp>(), "size");
      if (sizes->dependsOnRank(block->getTerminator()))
        return true;
    }
  }
  return false;
}
