//===- NestChecks.cpp - Whether a loop nest can be split ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/ForgetScopes.h"
#include "Iterations/SplitNest.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

using Blocks = SmallPtrSet<Block *, 16>;

Block *comm::findExit(Block *header, Block *latch) {
  auto end = cast<LLVM::CondBrOp>(latch->getTerminator());
  return end.getTrueDest() == header ? end.getFalseDest() : end.getTrueDest();
}

bool comm::isAfterLoop(const NestSplit &split, Block *block, DominanceInfo &dominance) {
  const FootprintAnalysis::Loop &loop = split.loops.front();
  Block *exit = findExit(loop.header, loop.latch);
  return block == loop.latch || (exit != split.unit.join && dominance.dominates(exit, block));
}

SmallPtrSet<Block *, 4> comm::findBlocksAround(const Unit &unit, Block *header) {
  SmallPtrSet<Block *, 16> interior(unit.interior.begin(), unit.interior.end()), before{header}, after{header};
  for (SmallVector<Block *> work{header}; !work.empty();)
    for (Block *block : work.pop_back_val()->getPredecessors())
      if (interior.contains(block) && before.insert(block).second)
        work.push_back(block);
  for (SmallVector<Block *> work{header}; !work.empty();)
    for (Block *block : work.pop_back_val()->getSuccessors())
      if (interior.contains(block) && after.insert(block).second)
        work.push_back(block);
  SmallPtrSet<Block *, 4> around;
  for (Block *block : unit.interior)
    if (!before.contains(block) && !after.contains(block))
      around.insert(block);
  return around;
}

static bool canGrow(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return isa<LLVM::LLVMPointerType>(type) || (integer && integer.getWidth() <= 64);
}

//===----------------------------------------------------------------------===//
// Values that leave a loop
//===----------------------------------------------------------------------===//

/// Calls `fn` with each value of the loop that is used after it, and with whether it is used other than on the exit
/// edge. Edges may also pass values that nobody uses; these do not count.
static void forEachLeaving(const Blocks &blocks, llvm::function_ref<void(Value, bool)> fn) {
  auto visit = [&](Value value) {
    bool leaves = false, isDirect = false;
    for (OpOperand &use : value.getUses()) {
      if (!blocks.contains(use.getOwner()->getBlock())) {
        leaves = isDirect = true;
        continue;
      }
      auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
      std::optional<BlockArgument> argument =
          branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
      leaves |= argument && !blocks.contains(argument->getOwner()) && !argument->use_empty();
    }
    if (leaves)
      fn(value, isDirect);
  };
  for (Block *block : blocks) {
    llvm::for_each(block->getArguments(), visit);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), visit);
  }
}

/// Returns true if nothing in the unit's loops uses a value of an inner loop afterwards, except for arguments that each
/// iteration computes from its number.
static bool isForgotten(Value value, const NestSplit &split, unsigned level, ArrayRef<Blocks> blocks) {
  SmallPtrSet<Value, 8> seen{value};
  SmallVector<Value> work{value};
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Block *user = use.getOwner()->getBlock();
      auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
      std::optional<BlockArgument> argument =
          branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
      Block *where = argument ? argument->getOwner() : user;
      if (!blocks.front().contains(where) || (blocks[level].contains(user) && blocks[level].contains(where)))
        continue;
      if (!argument)
        return false;
      bool isNumbered = false;
      for (unsigned outer = 0; outer < level; ++outer)
        isNumbered |= split.loops[outer].header == where && split.isNumbered(*argument);
      if (!isNumbered && seen.insert(*argument).second)
        work.push_back(*argument);
    }
  return true;
}

/// Returns true if what the loop carries to the unit's end is known on each path there.
static bool isKnownAtEnd(const NestSplit &split) {
  const FootprintAnalysis::Loop &loop = split.loops.front();
  Block *exit = findExit(loop.header, loop.latch);
  if (exit == split.unit.join)
    return true;
  if (exit->getUniquePredecessor() != loop.latch)
    return false;
  DominanceInfo dominance(split.unit.op->getParentOfType<FunctionOpInterface>());
  // Blocks of the unit after the loop.
  SmallPtrSet<Block *, 8> after{exit};
  SmallVector<Block *> work{exit};
  while (!work.empty())
    for (Block *next : work.pop_back_val()->getSuccessors())
      if (next != split.unit.join && after.insert(next).second)
        work.push_back(next);
  return llvm::all_of(split.unit.join->getPredecessors(),
                      [&](Block *before) { return !after.contains(before) || dominance.dominates(exit, before); });
}

SmallVector<Value> comm::findTotals(const NestSplit &split, const Fold &fold) {
  const FootprintAnalysis::Loop &loop = split.loops.front();
  Block *join = split.unit.join;
  Blocks inside = findLoopBlocks(loop.header, loop.latch), interior;
  interior.insert(split.unit.interior.begin(), split.unit.interior.end());
  SmallVector<Value> totals, work{getNext(loop.latch, fold.argument)};
  SmallPtrSet<Value, 8> seen{work.front()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    bool isUsedAfter = value.getParentBlock() == join;
    for (OpOperand &use : value.getUses()) {
      auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
      std::optional<BlockArgument> argument =
          branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt;
      Block *where = argument ? argument->getOwner() : use.getOwner()->getBlock();
      if (isUsedAfter || inside.contains(where))
        continue;
      bool isOfUnit = interior.contains(where) || (where == join && argument);
      if (!isOfUnit)
        isUsedAfter = true;
      else if (!argument)
        return {};
      else if (seen.insert(*argument).second)
        work.push_back(*argument);
    }
    if (isUsedAfter)
      totals.push_back(value);
  }
  // An argument that holds the total must hold it on all paths from the loop.
  DominanceInfo dominance(split.unit.op->getParentOfType<FunctionOpInterface>());
  for (Value value : seen)
    if (auto argument = dyn_cast<BlockArgument>(value); argument && !inside.contains(argument.getOwner()))
      for (BlockOperand &edge : argument.getOwner()->getUses()) {
        auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
        Value handed = branch ? branch.getSuccessorOperands(edge.getOperandNumber())[argument.getArgNumber()] : Value();
        if (isAfterLoop(split, edge.getOwner()->getBlock(), dominance) && !seen.contains(handed))
          return {};
      }
  return totals;
}

StringRef comm::findCarried(NestSplit &split, bool anyOrder) {
  SmallPtrSet<Block *, 16> interior(split.unit.interior.begin(), split.unit.interior.end());
  SmallVector<Blocks, 3> blocks;
  for (const FootprintAnalysis::Loop &loop : split.loops) {
    if (!loop.header || !loop.latch || !interior.contains(loop.header) || !interior.contains(loop.latch))
      return "has an unknown header or latch";
    auto end = dyn_cast<LLVM::CondBrOp>(loop.latch->getTerminator());
    bool hasBackedge = end && (end.getTrueDest() == loop.header) != (end.getFalseDest() == loop.header);
    if (!hasBackedge || !findEntry(loop.header, loop.latch))
      return "does not exit at its latch, or has several entries";
    blocks.push_back(findLoopBlocks(loop.header, loop.latch));
    // Restricted pointers that the loop declares make promises about one iteration, those declared before it about all.
    if (llvm::any_of(blocks.back(), [](Block *block) { return llvm::any_of(*block, declaresVisibleScope); }))
      return "declares restricted pointers";
    if (loop.count.isUnknown() || loop.count.containsIterations())
      return "has a trip count that is not known before it";
  }
  for (auto [level, loop] : llvm::enumerate(split.loops))
    for (auto [argument, step] : llvm::zip_equal(loop.header->getArguments(), loop.steps)) {
      bool isNumbered = !step.isUnknown() && !step.containsIterations() && canGrow(argument.getType());
      if (isNumbered || !split.isNumbered(argument))
        continue;
      if (split.keepsOrder && getInitial(loop.latch, argument)) {
        Fold carried;
        carried.argument = argument;
        carried.values = {argument};
        carried.initial = getInitial(loop.latch, argument);
        split.folds.push_back(std::move(carried));
        // What leaves the loop may be the value before the last iteration.
        split.keepsLast = true;
        continue;
      }
      std::optional<Fold> fold = level == 0 ? findFold(argument, split.loops, anyOrder) : std::nullopt;
      if (!fold)
        return isa<FloatType>(argument.getType())
                   ? "carries a value from one iteration to the next, so splitting may change its digits (a sum or, if "
                     "columns are left out as well, a maximum of which two zeros may be part; -fcomm-sums=any "
                     "allows any order)"
                   : "carries a value from one iteration to the next";
      split.folds.push_back(std::move(*fold));
    }
  bool isKept = true, isHandedOver = true;
  for (size_t level = 0; level < split.loops.size(); ++level) {
    const FootprintAnalysis::Loop &loop = split.loops[level];
    forEachLeaving(blocks[level], [&](Value value, bool isDirect) {
      Block *exit = findExit(loop.header, loop.latch);
      isHandedOver &= !isDirect || exit->getUniquePredecessor() == loop.latch;
      if (split.isFold(value))
        return;
      if (level == 0)
        split.keepsLast = true;
      else
        isKept &= isForgotten(value, split, level, blocks);
    });
  }
  if (!isKept || !isHandedOver || (!split.folds.empty() && !isKnownAtEnd(split)))
    return "computes a value that is used after it";
  return "";
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Calls the functions with all expressions and predicates that make up the numbers of a split.
static void forEachNumber(const NestSplit &split, llvm::function_ref<void(const Expr &)> note,
                          llvm::function_ref<void(const Predicate &)> notePredicate) {
  for (const FootprintAnalysis::Loop &loop : split.loops) {
    note(loop.count);
    for (auto [argument, step] : llvm::zip_equal(loop.header->getArguments(), loop.steps))
      if (split.isNumbered(argument))
        note(step);
  }
  for (const auto &touched : split.touched)
    for (const TouchingIterations &each : touched) {
      note(each.range.begin);
      note(each.range.end);
      notePredicate(each.valid);
    }
  notePredicate(split.holds);
}

void comm::forEachSymbol(const NestSplit &split, llvm::function_ref<void(Value)> fn) {
  forEachNumber(
      split, [&](const Expr &expr) { expr.forEachSymbol(fn); },
      [&](const Predicate &predicate) { predicate.forEachSymbol(fn); });
}

bool comm::isComputable(const NestSplit &split, Operation *at) {
  DominanceInfo dominance(at->getParentOfType<FunctionOpInterface>());
  bool isAvailable = true;
  forEachSymbol(split, [&](Value value) { isAvailable &= dominance.properlyDominates(value, at); });
  forEachNumber(
      split, [&](const Expr &expr) { isAvailable &= expr.isMaterializable(); },
      [&](const Predicate &predicate) { isAvailable &= predicate.isMaterializable(); });
  return isAvailable;
}
