//===- MergeExits.cpp - Merge the exits of a loop -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/MergeExits.h"

#include "Comm/Analysis/Order/PostDominance.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/Transforms/Utils/HandOver.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

/// Returns the blocks that can be reached from the block without going through the loop again.
static llvm::SmallSetVector<Block *, 16> findAfter(Block *from, const CFGLoop &loop) {
  return findReachable<Block>(from, [&](Block *block) { return loop.contains(block); });
}

static SmallVector<BlockOperand *> findEdges(Block *target, const CFGLoop &loop) {
  SmallVector<BlockOperand *> edges;
  for (BlockOperand &edge : target->getUses())
    if (loop.contains(edge.getOwner()->getBlock()))
      edges.push_back(&edge);
  return edges;
}

/// Records the values of the loop that are used after it but are not available at all exits. Returns false if one of
/// them cannot be passed to the merged exit.
static bool findCrossing(const CFGLoop &loop, HandOver &crossing, llvm::function_ref<bool(Value)> isEverywhere) {
  auto crosses = [&](Value value) {
    return !isEverywhere(value) &&
           llvm::any_of(value.getUsers(), [&](Operation *user) { return !loop.contains(user->getBlock()); });
  };
  return llvm::all_of(loop.getBlocks(), [&](Block *block) { return crossing.addOf(*block, crosses); });
}

/// Returns a loop-invariant condition that decides which of the two exits is taken. `isTrueFirst`: the first exit is
/// taken if it holds.
static Value findDecision(const CFGLoop &loop, ArrayRef<BlockOperand *> first, ArrayRef<BlockOperand *> second,
                          bool &isTrueFirst) {
  DominanceInfo dominance;
  auto leadsTo = [&](Block *arm, Block *decision, ArrayRef<BlockOperand *> edges) {
    return arm->getSinglePredecessor() == decision && llvm::all_of(edges, [&](BlockOperand *edge) {
             return dominance.dominates(arm, edge->getOwner()->getBlock());
           });
  };
  for (Block *block : loop.getBlocks()) {
    auto branch = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
    if (!branch || loop.contains(branch.getCondition().getParentBlock()))
      continue;
    for (bool isTrue : {true, false}) {
      Block *toFirst = isTrue ? branch.getTrueDest() : branch.getFalseDest();
      Block *toSecond = isTrue ? branch.getFalseDest() : branch.getTrueDest();
      if (!leadsTo(toFirst, block, first) || !leadsTo(toSecond, block, second))
        continue;
      isTrueFirst = isTrue;
      return branch.getCondition();
    }
  }
  return {};
}

bool comm::mergeExits(const CFGLoop &loop) {
  SmallVector<Block *> exits;
  loop.getUniqueExitBlocks(exits);
  if (exits.size() != 2 || !isa<LLVM::LLVMFuncOp>(loop.getHeader()->getParentOp()))
    return false;
  SmallVector<BlockOperand *> edges[] = {findEdges(exits[0], loop), findEdges(exits[1], loop)};
  for (ArrayRef<BlockOperand *> some : edges)
    for (BlockOperand *edge : some)
      if (!isa<LLVM::BrOp, LLVM::CondBrOp>(edge->getOwner()))
        return false;
  llvm::SmallSetVector<Block *, 16> first = findAfter(exits[0], loop);
  if (llvm::none_of(findAfter(exits[1], loop), [&](Block *block) { return first.contains(block); }))
    return false;
  // An exit to code that does not come back, past handlers that destroy objects, is no end of the loop (TestExits.cpp).
  PostDominance postDominance(*loop.getHeader()->getParent(), PostDominance::Exceptions::Never);
  if (!llvm::all_of(exits, [&](Block *exit) { return postDominance.canReturn(exit); }))
    return false;

  SmallVector<BlockOperand *> all = llvm::to_vector(llvm::concat<BlockOperand *>(edges[0], edges[1]));
  DominanceInfo dominance;
  auto isEverywhere = [&](Value value) {
    return llvm::all_of(all, [&](BlockOperand *edge) {
      return dominance.dominates(value.getParentBlock(), edge->getOwner()->getBlock());
    });
  };
  HandOver crossing(isEverywhere);
  if (!findCrossing(loop, crossing, isEverywhere))
    return false;
  Location loc = loop.getLoopLatch() ? loop.getLoopLatch()->getTerminator()->getLoc() : exits[0]->front().getLoc();
  Block *merged = new Block();
  exits[0]->getParent()->getBlocks().insert(Region::iterator(exits[0]), merged);
  OpBuilder builder = OpBuilder::atBlockEnd(merged);
  bool isTrueFirst = true;
  Value decision = findDecision(loop, edges[0], edges[1], isTrueFirst);
  bool isHandedOver = !decision;
  if (isHandedOver)
    decision = merged->addArgument(builder.getI1Type(), loc);
  SmallVector<Value> operands[2];
  for (unsigned which : {0, 1})
    for (BlockArgument argument : exits[which]->getArguments())
      operands[which].push_back(merged->addArgument(argument.getType(), argument.getLoc()));
  // All users of such a value come after one of the exits, and both exits are now reached through this block.
  for (auto [value, received] : crossing.receive(merged))
    value.replaceUsesWithIf(received, [&](OpOperand &use) { return !loop.contains(use.getOwner()->getBlock()); });
  unsigned ifTrue = isTrueFirst ? 0 : 1, ifFalse = 1 - ifTrue;
  LLVM::CondBrOp::create(builder, loc, decision, exits[ifTrue], operands[ifTrue], exits[ifFalse], operands[ifFalse]);

  for (unsigned which : {0, 1})
    for (BlockOperand *edge : edges[which]) {
      Operation *branch = edge->getOwner();
      builder.setInsertionPoint(branch);
      MutableOperandRange passed =
          cast<BranchOpInterface>(branch).getSuccessorOperands(edge->getOperandNumber()).getMutableForwardedOperands();
      auto given = llvm::to_vector_of<Value>(passed.getAsOperandRange());
      SmallVector<Value> values;
      if (isHandedOver)
        values.push_back(
            LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(which == 0)).getResult());
      auto addPoison = [&](Type type) { values.push_back(LLVM::PoisonOp::create(builder, loc, type)); };
      if (which == 1)
        llvm::for_each(operands[0], [&](Value value) { addPoison(value.getType()); });
      llvm::append_range(values, given);
      if (which == 0)
        llvm::for_each(operands[1], [&](Value value) { addPoison(value.getType()); });
      for (Value value : crossing.getCarried())
        if (dominance.dominates(value.getParentBlock(), branch->getBlock()))
          values.push_back(value);
        else
          addPoison(value.getType());
      passed.assign(values);
      edge->set(merged);
    }
  return true;
}
