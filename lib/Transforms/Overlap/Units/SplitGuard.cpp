//===- SplitGuard.cpp - Split a guarded arm in two ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/SplitGuard.h"

#include "Units/ArmNumbers.h"

#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/Transforms/Utils/ControlFlow.h"
#include "Comm/Transforms/Utils/HandOver.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

const Chain *comm::findChain(const ScopeTree &tree, Block *head) {
  for (const std::unique_ptr<Chain> &chain : tree.getChains())
    if (chain->getBlocks().front() == head)
      return chain.get();
  return nullptr;
}

static bool isEffective(const Unit &unit) { return unit.isPiece() || !isMemoryEffectFree(unit.op); }

/// Returns true if the unit loads the initial value of a variable that each iteration loads again (`begin[0]`, where
/// iterations load `begin[i + 1]`). It belongs to the loop: parts of the loop load it again where they begin.
static bool isFirstOfLoaded(const Unit &unit) {
  auto load = unit.isPiece() ? LLVM::LoadOp() : dyn_cast<LLVM::LoadOp>(unit.op);
  return load && !load->use_empty() && llvm::all_of(load->getUses(), [&](OpOperand &use) {
           auto entry = dyn_cast<LLVM::BrOp>(use.getOwner());
           return entry && llvm::all_of(entry.getDest()->getUses(), [&](BlockOperand &edge) {
                    if (edge.getOwner() == entry)
                      return true;
                    auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
                    Value next =
                        branch ? branch.getSuccessorOperands(edge.getOperandNumber())[use.getOperandNumber()] : Value();
                    return next && next.getDefiningOp<LLVM::LoadOp>();
                  });
         });
}

/// Returns true for a loop, and for a loop that the optimizer has turned into a copy (an array assignment in Fortran).
static bool isLoopOrCopy(const Unit &unit) {
  if (unit.isPiece())
    return unit.isLoop;
  return isa<LLVM::MemcpyOp, LLVM::MemmoveOp>(unit.op) && !getConstantInteger(unit.op->getOperand(2));
}

/// Returns the first place in the chain between a loop and a unit with an effect, or null.
static Operation *findPlaceBesideLoop(const Chain &chain) {
  ArrayRef<Unit> units = chain.getUnits();
  for (size_t i = 0; i < units.size(); ++i) {
    if (!isLoopOrCopy(units[i]))
      continue;
    if (llvm::any_of(units.take_front(i),
                     [](const Unit &unit) { return isEffective(unit) && !isFirstOfLoaded(unit); })) {
      size_t first = i;
      while (first > 0 && isFirstOfLoaded(units[first - 1]))
        --first;
      return units[first].op;
    }
    if (llvm::any_of(units.drop_front(i + 1), isEffective))
      return units[i].isPiece() ? &units[i].join->front() : units[i].op->getNextNode();
  }
  return nullptr;
}

static bool containsStart(const Unit &unit) {
  bool found = false;
  unit.walk([&](Operation *op) { found |= isStartInMemory(op); });
  return found;
}

/// Returns the place before the first start if loads precede it, since a branch with a start describes what it
/// touches by values known before the branch. Starts stay together, because their slots are counted together.
static Operation *findPlaceBeforeStart(const Chain &chain) {
  bool hasLoad = false;
  for (const Unit &unit : chain.getUnits()) {
    if (containsStart(unit))
      return hasLoad && !unit.isPiece() ? unit.op : nullptr;
    hasLoad |= !unit.isPiece() && isa<LLVM::LoadOp>(unit.op);
  }
  return nullptr;
}

/// Returns the chain that begins with that block if it is all that its only predecessor guards, and only the join
/// follows it.
static const Chain *findArm(const ScopeTree &tree, Block *entry, Block *join) {
  const Chain *chain = entry->getSinglePredecessor() ? findChain(tree, entry) : nullptr;
  if (!chain)
    return nullptr;
  std::optional<BranchTarget> leave = matchBranch(chain->getBlocks().back()->getTerminator());
  return leave && leave->block == join ? chain : nullptr;
}

/// Returns true if the value is defined in the first part.
static bool isFromFirst(const Guard &guard, Value value) {
  if (Operation *op = value.getDefiningOp())
    return guard.isFirst(op);
  return guard.first.contains(value.getParentBlock()) || value.getParentBlock() == guard.second->getBlock();
}

/// Records the values of the first part that others use. Returns false if they cannot be available where the two parts
/// meet.
static bool findCrossing(const Guard &guard, HandOver &crossing) {
  auto crosses = [&](Value value) {
    return isFromFirst(guard, value) &&
           llvm::any_of(value.getUsers(), [&](Operation *user) { return !guard.isFirst(user); });
  };
  auto addBlock = [&](Block *block) { return crossing.addOf(*block, crosses); };
  return llvm::all_of(guard.first, addBlock) && addBlock(guard.second->getBlock());
}

/// Returns the branch to split first in an arm that is only another branch, as in `if (rows > 0) if (columns > 0) {
/// loop; loop; }`.
static std::optional<Guard> matchInnerGuard(const ScopeTree &tree, const Chain &arm) {
  const Unit *only = llvm::find_singleton<const Unit>(
      arm.getUnits(), [](const Unit &unit, bool) { return isEffective(unit) ? &unit : nullptr; });
  if (!only || !only->isPiece())
    return std::nullopt;
  for (bool isTrueArm : {true, false})
    if (std::optional<Guard> guard = matchGuard(tree, *only, isTrueArm))
      return guard;
  return std::nullopt;
}

static bool hasLoop(const Chain &chain) {
  return llvm::any_of(chain.getUnits(), [](const Unit &unit) { return unit.isLoop; });
}

/// Adds the blocks that only exits of the first part lead to: they may use its values. Returns false if blocks that
/// other code leads to as well use them.
static bool addExits(Guard &guard, const Unit &unit) {
  guard.first.remove_if([&](Block *block) { return !llvm::is_contained(unit.interior, block); });
  llvm::SetVector<Block *> after;
  for (BlockOperand *exit : unit.exits)
    if (guard.first.contains(exit->getOwner()->getBlock()))
      after.insert(exit->get());
  for (size_t i = 0; i < after.size(); ++i)
    after.insert_range(after[i]->getSuccessors());
  if (after.contains(unit.join))
    return false;
  auto isFirst = [&](Block *block) { return guard.first.contains(block); };
  for (bool changed = true; changed;) {
    changed = false;
    for (Block *block : after)
      if (!isFirst(block) && llvm::all_of(block->getPredecessors(), isFirst))
        changed |= guard.first.insert(block);
  }
  return llvm::all_of(after, [&](Block *block) {
    return isFirst(block) || llvm::none_of(*block, [&](Operation &op) {
             return llvm::any_of(op.getOperands(), [&](Value operand) { return isFromFirst(guard, operand); });
           });
  });
}

std::optional<Guard> comm::matchGuard(const ScopeTree &tree, const Unit &unit, bool isTrueArm) {
  std::optional<ConditionalBranch> branch = unit.isPiece() ? matchConditionalBranch(unit.op) : std::nullopt;
  if (!branch)
    return std::nullopt;
  const BranchTarget &entry = isTrueArm ? branch->ifTrue : branch->ifFalse;
  const BranchTarget &other = isTrueArm ? branch->ifFalse : branch->ifTrue;
  if (entry.block == unit.join || entry.block == other.block)
    return std::nullopt;
  const Chain *arm = findArm(tree, entry.block, unit.join);
  if (!arm)
    return std::nullopt;
  Guard guard;
  guard.branch = guard.skip = unit.op;
  guard.join = unit.join;
  guard.condition = branch->condition;
  guard.isTrueArm = isTrueArm;
  guard.second = findPlaceBesideLoop(*arm);
  if (!guard.second)
    guard.second = findPlaceBeforeStart(*arm);
  guard.end = arm->getBlocks().back();
  guard.skipOperands = other.operands;
  guard.other = other.block;
  if (!guard.second) {
    if (std::optional<Guard> inner = matchInnerGuard(tree, *arm))
      return inner;
    const Chain *otherArm = hasLoop(*arm) ? findArm(tree, other.block, unit.join) : nullptr;
    if (!otherArm || !hasLoop(*otherArm))
      return std::nullopt;
    guard.second = &entry.block->front();
  }
  if (other.block != unit.join) {
    const Chain *otherArm = findArm(tree, other.block, unit.join);
    if (!otherArm)
      return std::nullopt;
    guard.skip = otherArm->getBlocks().back()->getTerminator();
    guard.skipOperands = matchBranch(guard.skip)->operands;
  }
  Block *second = guard.second->getBlock();
  guard.first = findReachable(entry.block, second);
  if (unit.leavesAbnormally() && (guard.hasOtherArm() || !addExits(guard, unit)))
    return std::nullopt;
  HandOver crossing([&](Value value) { return !isFromFirst(guard, value); });
  return findCrossing(guard, crossing) ? std::optional(guard) : std::nullopt;
}

/// Computes results of the branch that do not depend on the second part before that part: `x = c ? value : other`.
/// Handlers of exceptions may lead to the end of the branch on edges of their own, with other values.
static void bringForward(const Guard &guard, Block *second, Block *last, ArrayRef<Value> others) {
  Block *middle = second->getSinglePredecessor();
  if (llvm::any_of(guard.join->getPredecessors(),
                   [&](Block *from) { return from != last && from != middle && from != guard.skip->getBlock(); }))
    return;
  auto blocks = findReachable(second, guard.join);
  std::optional<BranchTarget> leave = matchBranch(last->getTerminator());
  OpBuilder builder = OpBuilder::atBlockBegin(middle);
  for (auto [argument, value, other] : llvm::zip_equal(guard.join->getArguments(), leave->operands, others)) {
    if (argument.use_empty() || blocks.contains(value.getParentBlock()))
      continue;
    Value ifTrue = guard.isTrueArm ? value : other, ifFalse = guard.isTrueArm ? other : value;
    argument.replaceAllUsesWith(createSelect(builder, argument.getLoc(), guard.condition, ifTrue, ifFalse));
  }
}

void comm::splitGuard(const Guard &guard, DominanceInfo &before) {
  Location loc = guard.branch->getLoc();
  OpBuilder builder(guard.branch->getContext());
  // The old block keeps its arguments and becomes the end of the first part.
  Block *end = guard.second->getBlock();
  Block *second = end->splitBlock(guard.second);
  Block *last = guard.end == end ? second : guard.end;
  Block *middle = new Block();
  second->getParent()->getBlocks().insert(Region::iterator(second), middle);

  // Numbers that can be computed before the branch need not be passed on: alias analysis does not look through
  // arguments.
  SmallVector<Block *> blocks(guard.first.begin(), guard.first.end());
  blocks.append({end, second});
  if (guard.hasOtherArm())
    blocks.push_back(guard.other);
  hoistNumbers(blocks, guard.branch, before);
  // The numbers that began the second part may have moved out of it.
  Guard parts = guard;
  parts.second = &second->front();
  parts.first.insert(end);
  HandOver crossing([&](Value value) { return !isFromFirst(parts, value); });
  [[maybe_unused]] bool canCross = findCrossing(parts, crossing);
  assert(canCross && "matchGuard has asked");

  BranchTarget finished{middle, llvm::to_vector(crossing.getCarried())}, skipped{middle, {}};
  builder.setInsertionPoint(guard.skip);
  for (Value value : crossing.getCarried())
    skipped.operands.push_back(createPoison(builder, loc, value.getType()));
  for (auto [value, received] : crossing.receive(middle))
    value.replaceUsesWithIf(received, [&](OpOperand &use) { return !parts.isFirst(use.getOwner()); });
  builder.setInsertionPointToEnd(end);
  BranchTarget enter{second, {}}, leave{guard.join, guard.skipOperands};
  DominanceInfo dominance(guard.branch->getParentOp());
  if (guard.hasOtherArm())
    for (Value &value : leave.operands) {
      if (dominance.properlyDominates(value, guard.branch))
        continue;
      skipped.operands.push_back(value);
      finished.operands.push_back(createPoison(builder, loc, value.getType()));
      value = middle->addArgument(value.getType(), value.getLoc());
    }
  createBranch(builder, loc, finished);
  builder.setInsertionPointToEnd(middle);
  createConditionalBranch(builder, loc, guard.condition, guard.isTrueArm ? enter : leave,
                          guard.isTrueArm ? leave : enter);
  bringForward(guard, second, last, leave.operands);

  builder.setInsertionPoint(guard.skip);
  if (guard.hasOtherArm()) {
    createBranch(builder, loc, skipped);
  } else {
    std::optional<ConditionalBranch> old = matchConditionalBranch(guard.branch);
    createConditionalBranch(builder, loc, guard.condition, guard.isTrueArm ? old->ifTrue : skipped,
                            guard.isTrueArm ? skipped : old->ifFalse);
  }
  guard.skip->erase();
}
