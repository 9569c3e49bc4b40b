//===- LoopExits.cpp - Where loops are left -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/LoopExits.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace comm;

/// Whether the program ends after the block: a call of MPI failed, and MPI_Abort comes next.
static bool isFatal(const BasicBlock *block) {
  constexpr unsigned mostBlocks = 8;
  for (unsigned i = 0; block && i < mostBlocks; ++i, block = block->getUniqueSuccessor())
    if (isa<UnreachableInst>(block->getTerminator()))
      return true;
  return false;
}

BasicBlock *comm::getOnlyExit(const Loop &loop) {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  erase_if(exiting, [&](const BasicBlock *block) {
    return all_of(successors(block), [&](const BasicBlock *next) { return loop.contains(next) || isFatal(next); });
  });
  return exiting.size() == 1 ? exiting.front() : nullptr;
}
