//===- JoinTails.cpp - Merge a branch that was duplicated -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (guard) { one; if (c) x; else y; } else { other; if (c) z; else y; }
//
// becomes
//
//   if (guard) one; else other;
//   if (c) { if (guard) x; else z; } else y;
//
// Values of one arm that x uses are poison on the path through the other arm, where they are not used.
//===----------------------------------------------------------------------===//

#include "Units/JoinTails.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Transforms/Utils/ControlFlow.h"
#include "Comm/Transforms/Utils/HandOver.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

namespace {
/// One arm: a chain that ends with a branch.
struct Tail {
  const Chain *chain;
  Block *end;
  ConditionalBranch branch;
  llvm::SmallSetVector<Block *, 16> blocks;

  /// Includes operations in nested regions.
  bool contains(Operation *op) const {
    return blocks.contains(end->getParent()->findAncestorBlockInRegion(*op->getBlock()));
  }
};
} // namespace

static bool areSame(Value a, Value b, unsigned depth = 4) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (depth == 0 || !x || !y || x->getName() != y->getName() || x->getNumRegions() || !isMemoryEffectFree(x) ||
      x->getNumOperands() != y->getNumOperands() || a.getType() != b.getType() ||
      x->getAttrDictionary() != y->getAttrDictionary())
    return false;
  return llvm::all_of(llvm::zip_equal(x->getOperands(), y->getOperands()),
                      [&](auto pair) { return areSame(std::get<0>(pair), std::get<1>(pair), depth - 1); });
}

/// Returns true if the chain has a loop or waits for requests in memory.
static bool isOfInterest(const Chain &chain) {
  return llvm::any_of(chain.getUnits(), [](const Unit &unit) {
    bool waits = false;
    unit.walk([&](Operation *op) { waits |= op->hasAttr(kFollowedAttrName); });
    return unit.isLoop || waits;
  });
}

static std::optional<Tail> findTail(const ScopeTree &tree, Block *entry) {
  if (!entry->getSinglePredecessor())
    return std::nullopt;
  for (const std::unique_ptr<Chain> &chain : tree.getChains()) {
    if (chain->getBlocks().front() != entry)
      continue;
    Block *end = chain->getBlocks().back();
    std::optional<ConditionalBranch> branch = matchConditionalBranch(end->getTerminator());
    if (!branch)
      return std::nullopt;
    Tail tail{chain.get(), end, *branch, {}};
    tail.blocks.insert(chain->getBlocks().begin(), chain->getBlocks().end());
    for (const Unit &unit : chain->getUnits())
      tail.blocks.insert(unit.interior.begin(), unit.interior.end());
    return tail;
  }
  return std::nullopt;
}

/// Records the values of the arm that are used after it or that its branch passes on. Returns false if one of them
/// cannot be available there, or is used where only an exception in the arm leads.
static bool findLeaving(const Tail &tail, DominanceInfo &dominance, HandOver &leaving) {
  bool isUsedByHandler = false;
  auto leaves = [&](Value value) {
    bool isUsed = llvm::is_contained(tail.branch.ifTrue.operands, value) ||
                  llvm::is_contained(tail.branch.ifFalse.operands, value);
    for (Operation *user : value.getUsers()) {
      if (tail.contains(user))
        continue;
      isUsed = true;
      isUsedByHandler |= !dominance.dominates(tail.end->getTerminator(), user);
    }
    return isUsed;
  };
  return llvm::all_of(tail.blocks, [&](Block *block) { return leaving.addOf(*block, leaves); }) && !isUsedByHandler;
}

bool comm::joinTails(const ScopeTree &tree, Operation *branch) {
  std::optional<ConditionalBranch> guard = matchConditionalBranch(branch);
  if (!guard || guard->ifTrue.block == guard->ifFalse.block)
    return false;
  std::optional<Tail> first = findTail(tree, guard->ifTrue.block), second = findTail(tree, guard->ifFalse.block);
  if (!first || !second || !(isOfInterest(*first->chain) || isOfInterest(*second->chain)) ||
      !areSame(first->branch.condition, second->branch.condition))
    return false;
  auto isFromBefore = [&](Value value) {
    return !first->blocks.contains(value.getParentBlock()) && !second->blocks.contains(value.getParentBlock());
  };
  HandOver leaving(isFromBefore);
  DominanceInfo dominance;
  if (!findLeaving(*first, dominance, leaving) || !findLeaving(*second, dominance, leaving))
    return false;
  // No source line stands for both tests.
  Location loc = UnknownLoc::get(branch->getContext());
  OpBuilder builder(branch->getContext());
  Region &region = *branch->getParentRegion();
  auto makeBlock = [&](Block *before) {
    auto *block = new Block();
    region.getBlocks().insert(std::next(Region::iterator(before)), block);
    return block;
  };
  Block *join = makeBlock(second->end);
  Value condition = join->addArgument(first->branch.condition.getType(), loc);
  auto isFrom = [](const Tail &tail, Value value) { return tail.blocks.contains(value.getParentBlock()); };
  for (auto [value, after] : leaving.receive(join)) {
    Tail &tail = isFrom(*first, value) ? *first : *second;
    value.replaceUsesWithIf(after, [&](OpOperand &use) { return !tail.contains(use.getOwner()); });
    for (BranchTarget *target : {&tail.branch.ifTrue, &tail.branch.ifFalse})
      llvm::replace(target->operands, value, after);
  }
  for (Tail *tail : {&*first, &*second}) {
    Operation *old = tail->end->getTerminator();
    builder.setInsertionPoint(old);
    BranchTarget target{join, {tail->branch.condition}};
    for (Value value : leaving.getCarried())
      target.operands.push_back(isFrom(*tail, value) ? value : createPoison(builder, loc, value.getType()));
    createBranch(builder, old->getLoc(), target);
    old->erase();
  }
  // Where the successors differ, test the guard again.
  auto choose = [&](const BranchTarget &one, const BranchTarget &other) {
    if (one.block == other.block && one.operands == other.operands)
      return one;
    BranchTarget chosen{makeBlock(join), {}};
    builder.setInsertionPointToEnd(chosen.block);
    createConditionalBranch(builder, loc, guard->condition, one, other);
    return chosen;
  };
  BranchTarget ifTrue = choose(first->branch.ifTrue, second->branch.ifTrue),
               ifFalse = choose(first->branch.ifFalse, second->branch.ifFalse);
  builder.setInsertionPointToEnd(join);
  createConditionalBranch(builder, loc, condition, ifTrue, ifFalse);
  return true;
}
