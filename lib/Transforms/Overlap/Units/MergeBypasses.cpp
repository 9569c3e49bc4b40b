//===- MergeBypasses.cpp - Redirect paths that bypass a test --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/MergeBypasses.h"

#include "Comm/Dialect/Comm/Utils/Conditions.h"
#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <array>

using namespace mlir;
using namespace comm;

/// Returns true if the known condition implies that the value is `isTrue`: no operand of a false `or` is true.
static bool implies(KnownCondition known, Value value, bool isTrue) {
  constexpr unsigned most = 16;
  SmallVector<Value> work{known.value};
  for (unsigned i = 0; i < work.size() && i < most; ++i) {
    if (work[i] == value)
      return known.isTrue == isTrue;
    Operation *op = work[i].getDefiningOp();
    auto select = dyn_cast_or_null<LLVM::SelectOp>(op);
    if (known.isTrue ? isa_and_nonnull<LLVM::AndOp>(op) : isa_and_nonnull<LLVM::OrOp>(op))
      llvm::append_range(work, op->getOperands());
    else if (select && known.isTrue && matchPattern(select.getFalseValue(), m_Zero()))
      work.append({select.getCondition(), select.getTrueValue()});
    else if (select && !known.isTrue && matchPattern(select.getTrueValue(), m_One()))
      work.append({select.getCondition(), select.getFalseValue()});
  }
  return false;
}

/// Returns true if the conditions on the path to that successor of the block imply that the value is `isTrue`.
static bool isKnownOnWay(Block *from, unsigned successor, Value value, bool isTrue, DominanceInfo &dominance) {
  std::optional<KnownCondition> asked = getAsked(from, successor);
  return (asked && implies(*asked, value, isTrue)) ||
         llvm::any_of(findConditions(from, dominance),
                      [&](const KnownCondition &known) { return implies(known, value, isTrue); });
}

namespace {
/// A branch that another path bypasses: the block that tests, the side on which its successor is also reached by the
/// other path, and the end of that path.
struct Bypass {
  ConditionalBranch branch;
  bool isJoinIfTrue;
  Block *asks, *end;
  /// The block before both paths.
  Block *parts;

  const BranchTarget &getJoin() const { return isJoinIfTrue ? branch.ifTrue : branch.ifFalse; }
  const BranchTarget &getOther() const { return isJoinIfTrue ? branch.ifFalse : branch.ifTrue; }
};
} // namespace

/// Returns true if values of a block that runs on only one of two paths are not used after it.
static bool isUsedHereAlone(Block *block) {
  auto isLocal = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) { return user->getBlock() == block; });
  };
  return llvm::all_of(block->getArguments(), isLocal) &&
         llvm::all_of(*block, [&](Operation &op) { return llvm::all_of(op.getResults(), isLocal); });
}

/// Matches a bypass whose paths split in the immediate dominator of the testing block.
static std::optional<Bypass> matchBypass(Block *asks, bool isJoinIfTrue, DominanceInfo &dominance) {
  std::optional<ConditionalBranch> branch = matchConditionalBranch(asks->getTerminator());
  auto *node = dominance.getNode(asks);
  Block *parts = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (!branch || !parts || branch->ifTrue.block == branch->ifFalse.block || !isUsedHereAlone(asks))
    return std::nullopt;
  Bypass bypass{*branch, isJoinIfTrue, asks, nullptr, parts};
  Block *join = bypass.getJoin().block;
  for (Block *before : join->getPredecessors()) {
    // The testing block and the code after it are not another path.
    if (dominance.dominates(asks, before))
      continue;
    if (bypass.end)
      return std::nullopt;
    bypass.end = before;
  }
  bool isOtherWay = bypass.end && bypass.end != parts && matchBranch(bypass.end->getTerminator()) &&
                    dominance.properlyDominates(parts, bypass.end) && !dominance.dominates(asks, bypass.end);
  if (!isOtherWay || dominance.dominates(join, parts) ||
      !dominance.dominates(branch->condition.getParentBlock(), parts))
    return std::nullopt;
  bool isKnown = isKnownOnWay(bypass.end, 0, branch->condition, isJoinIfTrue, dominance);
  return isKnown ? std::optional(bypass) : std::nullopt;
}

/// Makes both paths lead to a new block that tests, with arguments for values that only one of them has.
static Block *merge(const Bypass &bypass, DominanceInfo &dominance) {
  auto *block = new Block();
  bypass.asks->getParent()->getBlocks().insert(std::next(Region::iterator(bypass.asks)), block);
  BranchTarget fromAsks{block, {}}, fromEnd{block, {}}, toJoin{bypass.getJoin().block, {}},
      toOther{bypass.getOther().block, {}};
  Operation *terminator = bypass.asks->getTerminator(), *end = bypass.end->getTerminator();
  OpBuilder builder(end);
  auto pass = [&](Value value, Value atEnd, BranchTarget &target) {
    if ((!atEnd || atEnd == value) && dominance.dominates(value.getParentBlock(), bypass.parts)) {
      target.operands.push_back(value);
      return;
    }
    if (!atEnd)
      atEnd = createPoison(builder, value.getLoc(), value.getType());
    target.operands.push_back(block->addArgument(value.getType(), value.getLoc()));
    fromAsks.operands.push_back(value);
    fromEnd.operands.push_back(atEnd);
  };
  std::optional<BranchTarget> leave = matchBranch(end);
  for (auto [value, atEnd] : llvm::zip_equal(bypass.getJoin().operands, leave->operands))
    pass(value, atEnd, toJoin);
  for (Value value : bypass.getOther().operands)
    pass(value, Value(), toOther);
  createBranch(builder, end->getLoc(), fromEnd);
  end->erase();
  builder.setInsertionPointToEnd(block);
  createConditionalBranch(builder, terminator->getLoc(), bypass.branch.condition,
                          bypass.isJoinIfTrue ? toJoin : toOther, bypass.isJoinIfTrue ? toOther : toJoin);
  builder.setInsertionPoint(terminator);
  createBranch(builder, terminator->getLoc(), fromAsks);
  terminator->erase();
  return block;
}

/// Returns true if the block computes numbers and tests, and may as well do so on another path.
static bool onlyTests(Block *block) {
  return llvm::all_of(block->without_terminator(), [](Operation &op) {
    return isPure(&op) && !isa<LLVM::UDivOp, LLVM::SDivOp, LLVM::URemOp, LLVM::SRemOp>(op);
  });
}

/// Returns true if control may get from `from` to `to` without passing `end` or what comes before both in a loop.
static bool reaches(Block *from, Block *to, Block *end, DominanceInfo &dominance) {
  auto isBetween = [&](Block *block) { return block != end && !dominance.properlyDominates(block, to); };
  llvm::SmallSetVector<Block *, 16> reached;
  if (isBetween(from))
    reached.insert(from);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Block *next : reached[i]->getSuccessors())
      if (isBetween(next))
        reached.insert(next);
  return reached.contains(to);
}

/// Finds a path to a successor of a block that only tests, on which the outcome of the test is known, and redirects it
/// to that block. The code before that block stays the same. `skips`: only a path that the block's own predecessors
/// have left.
static bool leadBack(Block *asks, bool isTrue, DominanceInfo &dominance, bool skips = false) {
  std::optional<ConditionalBranch> branch = matchConditionalBranch(asks->getTerminator());
  auto *node = dominance.getNode(asks);
  if (!branch || branch->ifTrue.block == branch->ifFalse.block || asks->getNumArguments() != 0 || !node ||
      !node->getIDom() || !onlyTests(asks))
    return false;
  const BranchTarget &target = isTrue ? branch->ifTrue : branch->ifFalse;
  for (Block *from : target.block->getPredecessors()) {
    std::optional<ConditionalBranch> other = matchConditionalBranch(from->getTerminator());
    if (from == asks || !other || other->ifTrue.block == other->ifFalse.block ||
        !dominance.dominates(node->getIDom()->getBlock(), from) || dominance.dominates(asks, from))
      continue;
    bool isIfTrue = other->ifTrue.block == target.block;
    Block *stays = (isIfTrue ? other->ifFalse : other->ifTrue).block;
    if (skips && !reaches(stays, asks, target.block, dominance))
      continue;
    BranchTarget &way = isIfTrue ? other->ifTrue : other->ifFalse;
    if (way.operands != target.operands || !isKnownOnWay(from, isIfTrue ? 0 : 1, branch->condition, isTrue, dominance))
      continue;
    way = {asks, {}};
    Operation *old = from->getTerminator();
    OpBuilder builder(old);
    createConditionalBranch(builder, old->getLoc(), other->condition, other->ifTrue, other->ifFalse);
    old->erase();
    return true;
  }
  return false;
}

bool comm::mergeBypass(ArrayRef<Block *> blocks, DominanceInfo &dominance) {
  for (Block *block : blocks)
    for (bool isJoinIfTrue : {true, false})
      if (std::optional<Bypass> bypass = matchBypass(block, isJoinIfTrue, dominance)) {
        Block *asks = merge(*bypass, dominance);
        for (bool isTrue : {true, false})
          for (bool changed = true; changed;) {
            DominanceInfo current;
            changed = leadBack(asks, isTrue, current);
          }
        return true;
      }
  // A guard of two loops (`if (n >= 0) { loop; if (n > 0) loop; } if (n > 0) loop;`) that leads past the second test.
  return llvm::any_of(blocks, [&](Block *block) {
    return llvm::any_of(std::array{true, false},
                        [&](bool isTrue) { return leadBack(block, isTrue, dominance, /*skips=*/true); });
  });
}
