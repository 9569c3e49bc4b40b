//===- RepeatNest.cpp - Execute a split nest again in its own order --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (i < n) for (j < m) {            interior; rest
//     v[i][j] = f(u, i, j)          =>   if (some part may have met a NaN)
//     max = max > x ? max : x              for (i < n) for (j < m) max = max > x ? max : x
//   }
//
// The loops read nothing that they write (`readsNothingWritten`), so each x is what it was.
//
//===----------------------------------------------------------------------===//

#include "Iterations/SplitNest.h"

using namespace mlir;
using namespace comm;

/// Makes edges to that block pass nothing.
static void dropOperands(Operation *terminator, Block *to) {
  auto branch = cast<BranchOpInterface>(terminator);
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
    if (branch->getSuccessor(i) == to)
      branch.getSuccessorOperands(i).getMutableForwardedOperands().clear();
}

LLVM::CondBrOp comm::repeatNest(const NestSplit &split) {
  const Unit &unit = split.unit;
  Block *join = unit.join;
  Location loc = unit.op->getLoc();
  OpBuilder builder(unit.op->getContext());
  SmallVector<Value> totals;
  for (const Fold &fold : split.folds)
    if (fold.isRepeated)
      llvm::append_range(totals, findTotals(split, fold));
  // All uses after the unit get what the branch below passes.
  Block *after = join->splitBlock(join->begin());
  SmallPtrSet<Block *, 16> interior(unit.interior.begin(), unit.interior.end());
  for (Value total : totals) {
    BlockArgument received = after->addArgument(total.getType(), loc);
    total.replaceUsesWithIf(received, [&](OpOperand &use) { return !interior.contains(use.getOwner()->getBlock()); });
  }

  auto *enter = new Block(), *around = new Block(), *end = new Block();
  for (Block *block : {enter, around, end})
    join->getParent()->getBlocks().insert(Region::iterator(after), block);
  IRMapping again;
  again.map(join, end);
  for (BlockArgument argument : join->getArguments())
    again.map(argument, end->addArgument(argument.getType(), loc));
  SmallVector<Operation *> copies = copyUnit(builder, split, enter, around, again);
  copies.back()->setDiscardableAttrs(DictionaryAttr::get(builder.getContext()));
  for (Operation *copy : copies) {
    if (copy->hasTrait<OpTrait::IsTerminator>())
      dropOperands(copy, around);
    if (isa<LLVM::StoreOp>(copy))
      copy->erase();
  }
  // Control took another way the first time, and takes the same one now.
  builder.setInsertionPointToEnd(around);
  SmallVector<Value> nothing = llvm::map_to_vector(end->getArguments(), [&](BlockArgument argument) -> Value {
    return LLVM::PoisonOp::create(builder, loc, argument.getType());
  });
  LLVM::BrOp::create(builder, loc, nothing, end);
  builder.setInsertionPointToEnd(end);
  LLVM::BrOp::create(builder, loc, llvm::map_to_vector(totals, [&](Value total) { return again.lookup(total); }),
                     after);
  builder.setInsertionPointToEnd(join);
  Value never = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(false));
  return LLVM::CondBrOp::create(builder, loc, never, enter, ValueRange(), after, totals);
}
