//===- BypassForwarders.cpp - Blocks that only pass values on -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/BypassForwarders.h"

#include "Units/SimplifyLoads.h"

#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

/// Returns the terminator if the block has arguments and does nothing but pass them on. Arguments are floating-point
/// numbers, the totals of loops: what is known of pointers and counters that arms hand over relies on the arms' ends.
static BranchOpInterface getForward(Block *block) {
  auto forward = dyn_cast<BranchOpInterface>(block->front());
  auto isPassedOn = [&](BlockArgument argument) {
    return isa<FloatType>(argument.getType()) &&
           llvm::all_of(argument.getUsers(), [&](Operation *user) { return user == forward; });
  };
  bool isForward = forward && forward->getNumSuccessors() == 1 && block->getNumArguments() > 0 &&
                   llvm::all_of(block->getArguments(), isPassedOn);
  return isForward ? forward : BranchOpInterface();
}

static void bypass(Block *block) {
  BranchOpInterface forward = getForward(block);
  if (!forward)
    return;
  Block *next = forward->getSuccessor(0);
  SmallVector<BlockOperand *> edges = llvm::map_to_vector(block->getUses(), [](BlockOperand &edge) { return &edge; });
  // A branch both of whose ways led to one block would only choose what it passes.
  bool canLead = llvm::all_of(edges, [&](BlockOperand *edge) {
    auto branch = dyn_cast<BranchOpInterface>(edge->getOwner());
    return branch && branch.getSuccessorOperands(edge->getOperandNumber()).getProducedOperandCount() == 0 &&
           !llvm::is_contained(branch->getSuccessors(), next) && llvm::count(branch->getSuccessors(), block) == 1;
  });
  if (!canLead || next == block)
    return;
  for (BlockOperand *edge : edges) {
    SuccessorOperands passed = cast<BranchOpInterface>(edge->getOwner()).getSuccessorOperands(edge->getOperandNumber());
    auto operands = llvm::map_to_vector(forward.getSuccessorOperands(0).getForwardedOperands(), [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument && argument.getOwner() == block ? passed[argument.getArgNumber()] : value;
    });
    passed.getMutableForwardedOperands().assign(operands);
    edge->set(next);
  }
  block->erase();
}

/// Returns true if the block is where ways meet that are in the same loops, and so is what follows: the entries and
/// exits of loops stay blocks of their own.
static bool isMeeting(Block *block, const CFGLoopInfo &loops) {
  const CFGLoop *loop = loops.getLoopFor(block);
  auto isBeside = [&](Block *other) { return loops.getLoopFor(other) == loop; };
  Block *next = block->getSuccessor(0);
  return !block->getUniquePredecessor() && llvm::all_of(block->getPredecessors(), isBeside) && isBeside(next) &&
         !loops.isLoopHeader(next) && !loops.isLoopHeader(block);
}

void comm::bypassForwarders(Region &body) {
  // Most functions need none of the analyses.
  if (llvm::none_of(body, [](Block &block) { return getForward(&block); }))
    return;
  // Units within units share blocks.
  llvm::SmallSetVector<Block *, 8> forwarders;
  {
    DominanceInfo dominance(body.getParentOp());
    CFGLoopInfo loops(dominance.getDomTree(&body));
    forEachRelevant(body, [&](Chain &chain) {
      for (const Unit &unit : chain.getUnits())
        for (Block *block : unit.interior)
          if (getForward(block) && isMeeting(block, loops))
            forwarders.insert(block);
    });
  }
  llvm::for_each(forwarders, bypass);
}
