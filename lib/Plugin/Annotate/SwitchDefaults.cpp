//===- SwitchDefaults.cpp - Unreachable switch defaults -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM knows that `switch (direction)` in a loop over four directions takes one of its four cases, and makes the
// default unreachable. Analyses that count exits see one more exit of the loop. Here one of the cases becomes the
// default.
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
    // The number of edges from this block to `taken`, and of entries in its phis, stays the same.
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
