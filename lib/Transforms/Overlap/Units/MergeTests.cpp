//===- MergeTests.cpp - Merge a test that was duplicated ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/MergeTests.h"

#include "Comm/Dialect/Comm/Utils/Conditions.h"
#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

namespace {
/// A block that ends with a test. `same` is the successor that all tests have in common, `other` is the other one.
struct Test {
  Block *block;
  BranchTarget same, other;
};

/// Tests of one condition that are merged.
class TestGroup {
public:
  TestGroup(Value condition, bool isSameIfTrue, SmallVector<Test> tests, DominanceInfo &dominance)
      : condition(condition), isSameIfTrue(isSameIfTrue), tests(std::move(tests)), dominance(dominance),
        above(this->tests.front().block) {
    for (const Test &test : this->tests)
      above = dominance.findNearestCommonDominator(above, test.block);
  }
  bool merge();

private:
  bool areParallel();
  bool areValuesLocal();
  bool findDecision();
  bool findKnownCondition();
  BranchTarget passThrough(Block *join, ArrayRef<BranchTarget> targets);
  bool isAvailable(Value value) {
    return llvm::all_of(tests,
                        [&](const Test &test) { return dominance.dominates(value.getParentBlock(), test.block); });
  }

  Value condition;
  bool isSameIfTrue;
  SmallVector<Test> tests;
  DominanceInfo &dominance;
  /// The block before all tests.
  Block *above;
  /// The condition that selects one of two other successors; null if there is one.
  Value decision;
  /// The other successor; `ifFalse` is taken if the decision is false.
  Block *ifTrue = nullptr, *ifFalse = nullptr;
  /// An empty block, reached from tests, that only branches on the decision.
  Block *decider = nullptr;
};
} // namespace

/// Returns true if no path leads from one test to another without going through the block before all of them.
bool TestGroup::areParallel() {
  SmallPtrSet<Block *, 32> seen;
  SmallVector<Block *> work;
  for (const Test &test : tests) {
    if (test.block == above)
      return false;
    work.push_back(test.block);
  }
  while (!work.empty())
    for (Block *next : work.pop_back_val()->getSuccessors())
      if (next != above && seen.insert(next).second)
        work.push_back(next);
  return llvm::none_of(tests, [&](const Test &test) { return seen.contains(test.block); });
}

/// Returns true if blocks on the path to only some of the tests compute nothing that is used after them.
bool TestGroup::areValuesLocal() {
  llvm::SmallSetVector<Block *, 16> inside;
  for (const Test &test : tests)
    inside.insert(test.block);
  for (size_t i = 0; i < inside.size(); ++i)
    for (Block *before : inside[i]->getPredecessors())
      if (before != above)
        inside.insert(before);
  Region *region = tests.front().block->getParent();
  auto isUsedInside = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return inside.contains(region->findAncestorBlockInRegion(*user->getBlock()));
    });
  };
  // A block on every path to the tests still dominates them.
  return llvm::all_of(inside, [&](Block *block) {
    if (llvm::all_of(tests, [&](const Test &test) { return dominance.dominates(block, test.block); }))
      return true;
    return llvm::all_of(block->getArguments(), isUsedInside) &&
           llvm::all_of(*block, [&](Operation &op) { return llvm::all_of(op.getResults(), isUsedInside); });
  });
}

/// Finds a test that leads to a block that only branches to the successors of the others.
bool TestGroup::findDecision() {
  for (const Test &test : tests) {
    Block *block = test.other.block;
    std::optional<ConditionalBranch> branch = matchConditionalBranch(block->getTerminator());
    bool isEmpty = &block->front() == block->getTerminator() && block->getNumArguments() == 0;
    if (!branch || !isEmpty || branch->ifTrue.block == branch->ifFalse.block || !isAvailable(branch->condition))
      continue;
    bool isDecided = llvm::all_of(tests, [&](const Test &each) {
      if (each.other.block == block)
        return true;
      bool isTrue = each.other.block == branch->ifTrue.block;
      return (isTrue || each.other.block == branch->ifFalse.block) &&
             llvm::any_of(findConditions(each.block, dominance), [&](const KnownCondition &known) {
               return known.value == branch->condition && known.isTrue == isTrue;
             });
    });
    if (!isDecided)
      continue;
    decision = branch->condition;
    ifTrue = branch->ifTrue.block;
    ifFalse = branch->ifFalse.block;
    decider = block;
    return true;
  }
  return false;
}

/// Finds a condition for tests with two different other successors: it is known to hold in the tests that lead to the
/// first one, and not to hold in the others.
bool TestGroup::findKnownCondition() {
  ifTrue = tests.front().other.block;
  for (const Test &test : tests)
    if (test.other.block != ifTrue) {
      if (ifFalse && ifFalse != test.other.block)
        return false;
      ifFalse = test.other.block;
    }
  if (!ifFalse)
    return true;
  for (const KnownCondition &candidate : findConditions(tests.front().block, dominance)) {
    bool decides =
        isAvailable(candidate.value) && llvm::all_of(tests, [&](const Test &test) {
          return llvm::any_of(findConditions(test.block, dominance), [&](const KnownCondition &known) {
            return known.value == candidate.value && (known.isTrue == candidate.isTrue) == (test.other.block == ifTrue);
          });
        });
    if (!decides)
      continue;
    decision = candidate.value;
    if (!candidate.isTrue)
      std::swap(ifTrue, ifFalse);
    return true;
  }
  return false;
}

/// Gives the join arguments for the operands of the targets' common block, one target for each test. Tests with another
/// target (null) pass poison.
BranchTarget TestGroup::passThrough(Block *join, ArrayRef<BranchTarget> targets) {
  const BranchTarget *any = llvm::find_if(targets, [](const BranchTarget &target) { return target.block; });
  BranchTarget result{any->block, {}};
  for (size_t i = 0; i < any->operands.size(); ++i) {
    Type type = any->operands[i].getType();
    result.operands.push_back(join->addArgument(type, any->operands[i].getLoc()));
    for (auto [test, target] : llvm::zip_equal(tests, targets)) {
      OpBuilder builder(test.block->getTerminator());
      Value value = target.block ? target.operands[i] : createPoison(builder, builder.getUnknownLoc(), type);
      std::optional<BranchTarget> old = matchBranch(test.block->getTerminator());
      old->operands.push_back(value);
      Operation *terminator = test.block->getTerminator();
      createBranch(builder, terminator->getLoc(), *old);
      terminator->erase();
    }
  }
  return result;
}

bool TestGroup::merge() {
  if (!isAvailable(condition) || !areParallel() || !areValuesLocal() || !(findDecision() || findKnownCondition()))
    return false;
  // No source line stands for several tests.
  Location loc = UnknownLoc::get(condition.getContext());
  Region &region = *tests.front().block->getParent();
  auto makeBlock = [&]() {
    auto *block = new Block();
    region.getBlocks().insert(std::next(Region::iterator(tests.back().block)), block);
    return block;
  };
  Block *choose = decision ? makeBlock() : nullptr, *join = makeBlock();
  std::optional<ConditionalBranch> decided =
      decider ? matchConditionalBranch(decider->getTerminator()) : std::optional<ConditionalBranch>();
  SmallVector<BranchTarget> same, first, second;
  for (const Test &test : tests) {
    same.push_back(test.same);
    bool decides = decider && test.other.block == decider;
    first.push_back(decides ? decided->ifTrue : test.other.block == ifTrue ? test.other : BranchTarget{nullptr, {}});
    second.push_back(decides ? decided->ifFalse : test.other.block == ifFalse ? test.other : BranchTarget{nullptr, {}});
    OpBuilder builder(test.block->getTerminator());
    Operation *old = test.block->getTerminator();
    createBranch(builder, old->getLoc(), BranchTarget{join, {}});
    old->erase();
  }
  BranchTarget toSame = passThrough(join, same), toOther = passThrough(join, first);
  OpBuilder builder(region.getContext());
  if (decision) {
    BranchTarget toSecond = passThrough(join, second);
    builder.setInsertionPointToEnd(choose);
    createConditionalBranch(builder, loc, decision, toOther, toSecond);
    toOther = {choose, {}};
  }
  builder.setInsertionPointToEnd(join);
  createConditionalBranch(builder, loc, condition, isSameIfTrue ? toSame : toOther, isSameIfTrue ? toOther : toSame);
  if (decider && decider->hasNoPredecessors())
    decider->erase();
  return true;
}

bool comm::mergeTests(ArrayRef<Block *> blocks) {
  llvm::MapVector<std::pair<Value, Block *>, SmallVector<Test>> ifTrue, ifFalse;
  for (Block *block : blocks)
    if (std::optional<ConditionalBranch> branch = matchConditionalBranch(block->getTerminator());
        branch && branch->ifTrue.block != branch->ifFalse.block) {
      ifTrue[{branch->condition, branch->ifTrue.block}].push_back({block, branch->ifTrue, branch->ifFalse});
      ifFalse[{branch->condition, branch->ifFalse.block}].push_back({block, branch->ifFalse, branch->ifTrue});
    }
  DominanceInfo dominance;
  for (bool isSameIfTrue : {true, false})
    for (auto &[key, tests] : isSameIfTrue ? ifTrue : ifFalse)
      if (tests.size() > 1 && TestGroup(key.first, isSameIfTrue, tests, dominance).merge())
        return true;
  return false;
}
