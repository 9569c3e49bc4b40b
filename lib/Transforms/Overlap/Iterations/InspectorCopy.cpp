//===- InspectorCopy.cpp - The copy of the loop that inspects -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorCopy.h"

using namespace mlir;
using namespace comm;

/// Returns the blocks that control reaches without the loop.
SmallPtrSet<Block *, 8> InspectorCopy::findBlocksAhead() const {
  SmallPtrSet<Block *, 8> ahead;
  SmallVector<Block *> open{inspection.unit.op->getBlock()};
  while (!open.empty())
    for (Block *next : open.pop_back_val()->getSuccessors())
      if (next != inspection.loop.header && next != inspection.unit.join && ahead.insert(next).second)
        open.push_back(next);
  return ahead;
}

void InspectorCopy::makeBlocks() {
  SmallPtrSet<Block *, 8> ahead;
  if (beginTile) {
    blocksOfLoop = findLoopBlocks(inspection.loop.header, inspection.loop.latch);
    ahead = findBlocksAhead();
  }
  for (Block *block : slice.getBlocks()) {
    // A tile ends with the loop.
    if (beginTile && !blocksOfLoop.contains(block) && !ahead.contains(block))
      continue;
    Block *copy = makeBlock(fail);
    map.map(block, copy);
    for (BlockArgument argument : block->getArguments())
      if (slice.contains(argument))
        map.map(argument, copy->addArgument(argument.getType(), argument.getLoc()));
  }
  if (beginTile)
    for (BlockArgument argument : map.lookup(inspection.loop.header)->getArguments())
      saved.push_back(makeVariable(inspection.unit.op, argument.getType()));
}

/// Makes a block on the way into the copy of an inner loop, with all comparisons that need not be made in it.
Block *InspectorCopy::enterInnerLoop(const InnerAccesses &inner, ValueRange operands) {
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = makeBlock(fail);
  builder.setInsertionPointToEnd(entry);
  checks.enterInnerLoop(inner, fail);
  branch(map.lookup(inner.loop.block), operands);
  return entry;
}

void InspectorCopy::copyBlock(Block *block) {
  for (Operation &op : block->without_terminator()) {
    checks.check(&op, fail);
    if (!slice.contains(&op))
      continue;
    builder.clone(op, map);
    if (auto loaded = dyn_cast<LLVM::LoadOp>(op))
      checks.noteLoad(loaded);
  }
}

/// Returns the operands for arguments of the block that are in the slice.
SmallVector<Value> InspectorCopy::getKept(Block *target, OperandRange operands) const {
  SmallVector<Value> kept;
  for (auto [argument, operand] : llvm::zip_equal(target->getArguments(), operands))
    if (slice.contains(argument))
      kept.push_back(operand);
  return kept;
}

/// Returns where the inspection goes if it ends with that edge, otherwise null.
Block *InspectorCopy::getEnd(Block *from, Block *target) const {
  bool isInLoop = blocksOfLoop.contains(from);
  if (target != inspection.unit.join && (!isInLoop || blocksOfLoop.contains(target)))
    return nullptr;
  return beginTile && !isInLoop ? fail : finish;
}

/// Saves what the next iteration receives.
void InspectorCopy::saveNext(Block *latch) {
  auto end = cast<LLVM::CondBrOp>(latch->getTerminator());
  Block *header = inspection.loop.header;
  bool isTrue = end.getTrueDest() == header;
  for (auto [value, variable] :
       llvm::zip_equal(getKept(header, isTrue ? end.getTrueDestOperands() : end.getFalseDestOperands()), saved))
    store(value, variable);
}

/// Makes a block on the way into the loop, which saves what the first iteration receives.
Block *InspectorCopy::enterFirstTile(ValueRange operands) {
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = makeBlock(fail);
  builder.setInsertionPointToEnd(entry);
  for (auto [value, variable] : llvm::zip_equal(operands, saved))
    store(value, variable);
  branch(beginTile);
  return entry;
}

void InspectorCopy::copyTerminator(Block *block) {
  Operation *terminator = block->getTerminator();
  auto getTarget = [&](Block *target, OperandRange operands) -> std::pair<Block *, SmallVector<Value>> {
    if (Block *end = getEnd(block, target))
      return {end, {}};
    SmallVector<Value> kept = getKept(target, operands);
    if (beginTile && !blocksOfLoop.contains(block) && target == inspection.loop.header)
      return {enterFirstTile(kept), {}};
    if (const InnerAccesses *inner = checks.getInner(target); inner && block != target)
      return {enterInnerLoop(*inner, kept), {}};
    return {map.lookup(target), kept};
  };
  if (Block *shortcut = slice.getShortcut(block)) {
    Block *end = getEnd(block, shortcut);
    branch(end ? end : map.lookup(shortcut));
    return;
  }
  if (auto jump = dyn_cast<LLVM::BrOp>(terminator)) {
    auto [target, operands] = getTarget(jump.getDest(), jump.getDestOperands());
    branch(target, operands);
    return;
  }
  auto fork = cast<LLVM::CondBrOp>(terminator);
  auto [ifTrue, trueOperands] = getTarget(fork.getTrueDest(), fork.getTrueDestOperands());
  auto [ifFalse, falseOperands] = getTarget(fork.getFalseDest(), fork.getFalseDestOperands());
  LLVM::CondBrOp::create(builder, loc, fork.getCondition(), ifTrue, trueOperands, ifFalse, falseOperands);
}

/// Replaces the loop's values by those of the copy. Values of later blocks had no copy yet.
void InspectorCopy::replaceOperands() {
  for (Block *block = finish->getNextNode(); block != fail; block = block->getNextNode())
    for (Operation &op : *block)
      for (OpOperand &operand : op.getOpOperands())
        operand.set(map.lookupOrDefault(operand.get()));
}

void InspectorCopy::emit(Block *tile) {
  beginTile = tile;
  makeBlocks();
  checks.enterLoop();
  // The unit's own branch, at the builder's position.
  copyTerminator(inspection.unit.op->getBlock());
  for (Block *block : slice.getBlocks()) {
    if (!map.contains(block))
      continue;
    builder.setInsertionPointToEnd(map.lookup(block));
    copyBlock(block);
    if (block == inspection.loop.latch) {
      if (beginTile)
        saveNext(block);
      runs.endIteration(finish, fail);
    }
    copyTerminator(block);
  }
  replaceOperands();
  if (!beginTile)
    return;
  builder.setInsertionPointToEnd(beginTile);
  Block *header = map.lookup(inspection.loop.header);
  runs.beginTile();
  SmallVector<Value> operands;
  for (auto [variable, argument] : llvm::zip_equal(saved, header->getArguments()))
    operands.push_back(load(variable, argument.getType()));
  branch(header, operands);
}
