//===- SwitchDefaults.cpp - Switches that always find a case --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM knows of `switch (direction)` in a loop over four directions that one of the four cases is taken, and leads all
// other numbers to where control never comes: a way out of the loop for whoever counts ways. One of the cases takes
// these numbers here, as if it had been written as the default.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

bool comm::leadDefaultsToCases(Function &function) {
  bool changed = false;
  SmallVector<BasicBlock *> unreached;
  for (BasicBlock &block : function) {
    auto *choice = dyn_cast<SwitchInst>(block.getTerminator());
    if (!choice || choice->getNumCases() == 0 || !choice->defaultDestUnreachable())
      continue;
    changed = true;
    SwitchInstProfUpdateWrapper weighted(*choice);
    auto last = std::prev(choice->case_end());
    BasicBlock *taken = last->getCaseSuccessor(), *old = choice->getDefaultDest();
    // The block has as many edges from here as before, and its phis as many entries.
    weighted.removeCase(last);
    choice->setDefaultDest(taken);
    old->removePredecessor(&block);
    if (pred_empty(old))
      unreached.push_back(old);
  }
  for (BasicBlock *block : unreached)
    block->eraseFromParent();
  return changed;
}
