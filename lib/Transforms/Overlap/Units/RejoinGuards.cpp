//===- RejoinGuards.cpp - Ways past a loop go through its guard ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/RejoinGuards.h"

#include "Comm/Dialect/Comm/Utils/Conditions.h"
#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/InstrTypes.h"

using namespace mlir;
using namespace comm;

static llvm::CmpInst::Predicate translate(LLVM::ICmpPredicate predicate) {
  using From = LLVM::ICmpPredicate;
  using To = llvm::CmpInst;
  switch (predicate) {
  case From::eq:
    return To::ICMP_EQ;
  case From::ne:
    return To::ICMP_NE;
  case From::slt:
    return To::ICMP_SLT;
  case From::sle:
    return To::ICMP_SLE;
  case From::sgt:
    return To::ICMP_SGT;
  case From::sge:
    return To::ICMP_SGE;
  case From::ult:
    return To::ICMP_ULT;
  case From::ule:
    return To::ICMP_ULE;
  case From::ugt:
    return To::ICMP_UGT;
  case From::uge:
    return To::ICMP_UGE;
  }
  llvm_unreachable("no other predicate");
}

/// The numbers for which a comparison with a constant is true.
static std::optional<llvm::ConstantRange> getRange(LLVM::ICmpOp compare) {
  llvm::APInt limit;
  if (!isa<IntegerType>(compare.getLhs().getType()) || !matchPattern(compare.getRhs(), m_ConstantInt(&limit)))
    return std::nullopt;
  return llvm::ConstantRange::makeExactICmpRegion(translate(compare.getPredicate()), limit);
}

/// What the other condition is, if that follows.
static std::optional<bool> imply(const KnownCondition &known, Value other) {
  if (known.value == other)
    return known.isTrue;
  // Neither holds of two of which none does, and both do.
  Operation *op = known.value.getDefiningOp();
  if (op && known.value.getType().isInteger(1) && (known.isTrue ? isa<LLVM::AndOp>(op) : isa<LLVM::OrOp>(op))) {
    std::optional<bool> first = imply({op->getOperand(0), known.isTrue}, other);
    return first ? first : imply({op->getOperand(1), known.isTrue}, other);
  }
  auto asked = dyn_cast_or_null<LLVM::ICmpOp>(op), compare = other.getDefiningOp<LLVM::ICmpOp>();
  if (!asked || !compare || asked.getLhs() != compare.getLhs())
    return std::nullopt;
  std::optional<llvm::ConstantRange> where = getRange(asked), isTrue = getRange(compare);
  if (!where || !isTrue)
    return std::nullopt;
  if (!known.isTrue)
    where = where->inverse();
  if (isTrue->contains(*where))
    return true;
  return isTrue->inverse().contains(*where) ? std::optional<bool>(false) : std::nullopt;
}

/// Whether the block computes what it asks and nothing else, and has no arguments.
static bool onlyAsks(Block *block) {
  return block->getNumArguments() == 0 && llvm::all_of(block->without_terminator(), [](Operation &op) {
           return op.getNumRegions() == 0 && isPure(&op);
         });
}

namespace {
/// The edges of one region.
class Rejoiner {
public:
  explicit Rejoiner(Region &region) : region(region), loops(dominance.getDomTree(&region)) {}
  bool run();

private:
  bool leadsThrough(Block *block, unsigned successor, Block *test);
  bool isLater(Block *block, Block *test);

  Region &region;
  DominanceInfo dominance;
  CFGLoopInfo loops;
};
} // namespace

static std::optional<BranchTarget> getTarget(Block *block, unsigned successor) {
  if (std::optional<ConditionalBranch> branch = matchConditionalBranch(block->getTerminator()))
    return successor == 0 ? branch->ifTrue : branch->ifFalse;
  return matchBranch(block->getTerminator());
}

/// Whether an edge from the block to the test closes no loop: no way leads back but by a loop around both.
bool Rejoiner::isLater(Block *block, Block *test) {
  constexpr unsigned mostBlocks = 256;
  const CFGLoop *loop = loops.getLoopFor(test);
  if (loop && !loop->contains(block))
    return false;
  SmallPtrSet<Block *, 16> seen{test};
  if (loop)
    seen.insert(loop->getHeader());
  SmallVector<Block *> work(test->getSuccessors());
  for (unsigned i = 0; !work.empty(); ++i) {
    Block *next = work.pop_back_val();
    if (next == block || i == mostBlocks)
      return false;
    if (seen.insert(next).second)
      work.append(next->succ_begin(), next->succ_end());
  }
  return true;
}

/// Whether the edge of the block to that successor may lead to the test instead: what is known there says that the test
/// leads to the same block with the same values, and all that is known at the test and after it is known here.
bool Rejoiner::leadsThrough(Block *block, unsigned successor, Block *test) {
  std::optional<ConditionalBranch> to = matchConditionalBranch(test->getTerminator());
  std::optional<BranchTarget> here = getTarget(block, successor);
  auto *node = dominance.getNode(test);
  if (!to || !here || to->ifTrue.block == to->ifFalse.block || !onlyAsks(test) || !node || !node->getIDom() ||
      !dominance.dominates(node->getIDom()->getBlock(), block))
    return false;
  SmallVector<KnownCondition, 4> all = findConditions(block, dominance);
  if (std::optional<KnownCondition> asked = getAsked(block, successor))
    all.push_back(*asked);
  return llvm::any_of(all, [&](const KnownCondition &known) {
    std::optional<bool> isTrue = imply(known, to->condition);
    const BranchTarget &there = isTrue.value_or(true) ? to->ifTrue : to->ifFalse;
    return isTrue && here->block == there.block && here->operands == there.operands;
  });
}

bool Rejoiner::run() {
  // Not of blocks to which all that fails leads.
  constexpr unsigned mostWays = 32;
  for (Block &block : region)
    for (unsigned i = 0; i < block.getNumSuccessors(); ++i) {
      Block *join = block.getSuccessor(i);
      if (std::distance(join->pred_begin(), join->pred_end()) > mostWays)
        continue;
      for (Block *test : join->getPredecessors()) {
        if (test == &block || !leadsThrough(&block, i, test) || !isLater(&block, test))
          continue;
        Operation *old = block.getTerminator();
        OpBuilder builder(old);
        if (std::optional<ConditionalBranch> branch = matchConditionalBranch(old)) {
          (i == 0 ? branch->ifTrue : branch->ifFalse) = {test, {}};
          createConditionalBranch(builder, old->getLoc(), branch->condition, branch->ifTrue, branch->ifFalse);
        } else {
          createBranch(builder, old->getLoc(), {test, {}});
        }
        old->erase();
        return true;
      }
    }
  return false;
}

unsigned comm::rejoinGuards(Region &region) {
  constexpr unsigned mostEdges = 64;
  unsigned number = 0;
  while (number < mostEdges && !region.hasOneBlock() && Rejoiner(region).run())
    ++number;
  return number;
}
