//===- InspectorCopy.cpp - The copy of the loop that inspects -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorCopy.h"

using namespace mlir;
using namespace comm;

void InspectorCopy::makeBlocks() {
  for (Block *block : slice.getBlocks()) {
    Block *copy = makeBlock(fail);
    map.map(block, copy);
    for (BlockArgument argument : block->getArguments())
      if (slice.contains(argument))
        map.map(argument, copy->addArgument(argument.getType(), argument.getLoc()));
  }
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

void InspectorCopy::copyTerminator(Block *block) {
  Operation *terminator = block->getTerminator();
  auto getTarget = [&](Block *target, OperandRange operands) -> std::pair<Block *, SmallVector<Value>> {
    if (target == inspection.unit.join)
      return {finish, {}};
    SmallVector<Value> kept;
    for (auto [argument, operand] : llvm::zip_equal(target->getArguments(), operands))
      if (slice.contains(argument))
        kept.push_back(operand);
    if (const InnerAccesses *inner = checks.getInner(target); inner && block != target)
      return {enterInnerLoop(*inner, kept), {}};
    return {map.lookup(target), kept};
  };
  if (Block *shortcut = slice.getShortcut(block)) {
    branch(shortcut == inspection.unit.join ? finish : map.lookup(shortcut));
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

void InspectorCopy::emit() {
  makeBlocks();
  checks.enterLoop();
  // The unit's own branch, at the builder's position.
  copyTerminator(inspection.unit.op->getBlock());
  for (Block *block : slice.getBlocks()) {
    builder.setInsertionPointToEnd(map.lookup(block));
    copyBlock(block);
    if (block == inspection.loop.latch)
      runs.endIteration(finish, fail);
    copyTerminator(block);
  }
  replaceOperands();
}
