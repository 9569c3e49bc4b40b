//===- FlowBlocks.cpp - Order of blocks for data flow ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlowBlocks.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace comm;

void comm::join(ActiveStarts &starts, const ActiveStarts &others) {
  for (const auto &[start, again] : others) {
    auto [it, isNew] = starts.try_emplace(start, again);
    if (!isNew)
      it->second |= again;
  }
}

FlowBlocks::FlowBlocks(Region &region) {
  llvm::ReversePostOrderTraversal<Block *> traversal(&region.front());
  for (Block *block : traversal) {
    numbers[block] = order.size();
    order.push_back(block);
  }
}

const llvm::BitVector &FlowBlocks::getLoop(Block *header) {
  auto [it, isNew] = loops.try_emplace(header, llvm::BitVector(order.size()));
  llvm::BitVector &loop = it->second;
  if (!isNew)
    return loop;
  loop.set(getNumber(header));
  SmallVector<Block *> work;
  for (Block *latch : header->getPredecessors()) {
    if (!contains(latch) || !isBackEdge(latch, header))
      continue;
    if (!dominance.dominates(header, latch)) {
      loop.set();
      return loop;
    }
    work.push_back(latch);
  }
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (!contains(block) || loop.test(getNumber(block)))
      continue;
    loop.set(getNumber(block));
    llvm::append_range(work, block->getPredecessors());
  }
  return loop;
}

llvm::BitVector FlowBlocks::findLive(Value pointer) {
  llvm::BitVector live(order.size());
  SmallVector<Block *> work;
  Block *home = pointer.getParentBlock();
  for (Operation *user : pointer.getUsers())
    if (user->getBlock() != home || isa<BlockArgument>(pointer))
      work.push_back(user->getBlock());
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (!contains(block) || live.test(getNumber(block)))
      continue;
    live.set(getNumber(block));
    if (block != home)
      llvm::append_range(work, block->getPredecessors());
  }
  // Unless it is an argument, the value does not flow into the block that computes it.
  if (!isa<BlockArgument>(pointer) && contains(home))
    live.reset(getNumber(home));
  return live;
}
