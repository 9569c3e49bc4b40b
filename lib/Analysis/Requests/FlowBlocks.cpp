//===- FlowBlocks.cpp - Blocks in the order of a data flow -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlowBlocks.h"

#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace comm;

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
