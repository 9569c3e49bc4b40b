//===- CopyTails.cpp - Copy loops after a branch into its arm -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (guard) { start; wait; unpack; } else other;
//   loop;
//
// becomes
//
//   if (guard) { start; wait; unpack; loop; } else { other; loop; }
//
// Nothing is reordered or executed more often: the arm continues with a copy of the blocks that followed it.
//===----------------------------------------------------------------------===//

#include "Iterations/CopyTails.h"

#include "Motion/LeftWaits.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/ControlFlow.h"
#include "Comm/Transforms/Utils/HandOver.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace comm;

/// Limits on the code that is copied for one branch.
static constexpr unsigned kMostOperations = 1500, kMostUnits = 200;

namespace {
struct Tail {
  /// The branch that ends the arm.
  Operation *end;
  /// The blocks from its target up to the block where the copy joins again.
  llvm::SetVector<Block *> blocks;
  Block *after;
};
} // namespace

/// Returns a wait for messages that the chain itself starts, if the wait has not left the branch. An arm that waits for
/// messages that others have started stays a unit, which other communications may pass.
static Operation *findWait(const Chain &chain) {
  bool hasStart = false;
  for (const Unit &unit : chain.getUnits()) {
    auto wait = unit.isPiece() ? WaitOp() : dyn_cast<WaitOp>(unit.op);
    unit.walk([&](Operation *op) {
      auto start = dyn_cast<MPIOpInterface>(op);
      hasStart |= start && start.isAsync() && op->hasAttr(kFollowedAttrName);
    });
    if (!wait || isLeft(wait))
      continue;
    MPIOpInterface start = getOnlyStart(wait);
    if ((hasStart && wait->hasAttr(kFollowedAttrName)) || (start && getInterval(start) && chain.findUnit(start) >= 0))
      return wait;
  }
  return nullptr;
}

/// Returns true if the unit may be part of a tail, and adds the number of its operations to `size`.
static bool canCopy(const Unit &unit, unsigned &size) {
  bool communicates = unit.leavesAbnormally();
  unit.walk([&](Operation *op) {
    communicates |= isa<MPIOpInterface>(op) || op->getNumRegions() != 0;
    ++size;
  });
  return !communicates;
}

/// Returns the last loop after the branch that can be copied into the arm together with the code in between, or null.
static const Unit *findLastLoop(const Chain &chain, unsigned branch) {
  const Unit *last = nullptr;
  unsigned size = 0;
  ArrayRef<Unit> units = chain.getUnits();
  for (const Unit &unit : units.slice(branch + 1, std::min<size_t>(kMostUnits, units.size() - branch - 1))) {
    if (!canCopy(unit, size) || size > kMostOperations)
      break;
    if (unit.isLoop)
      last = &unit;
  }
  return last;
}

/// Returns true if the branch, which waits for a reduction in some steps, comes after a wait: the loop may pass it in
/// the other steps (comm.excludes), and overlap with what that wait completes.
static bool isPassed(const Chain &chain, unsigned branch, Operation *wait) {
  MPIOpInterface start = getOnlyStart(cast<WaitOp>(wait));
  return start && start.getMatching().kind == Matching::Kind::Collective && getEntry(chain.getUnits()[branch]).first &&
         llvm::any_of(chain.getUnits().take_front(branch),
                      [](const Unit &unit) { return !unit.isPiece() && isa<CompletionOpInterface>(unit.op); });
}

/// Collects all blocks from `first` up to `after`, exclusively. Returns false if control leaves or enters them
/// elsewhere.
static bool findBlocks(Block *first, Block *after, llvm::SetVector<Block *> &blocks) {
  blocks.insert(first);
  for (size_t i = 0; i < blocks.size(); ++i) {
    Operation *end = blocks[i]->getTerminator();
    if (end->getNumSuccessors() == 0 || !isa<BranchOpInterface>(end))
      return false;
    for (Block *next : end->getSuccessors())
      if (next != after)
        blocks.insert(next);
  }
  return !blocks.contains(after) &&
         llvm::all_of(after->getPredecessors(), [&](Block *before) { return blocks.contains(before); }) &&
         llvm::all_of(blocks, [&](Block *block) {
           auto isOne = [&](Block *before) { return blocks.contains(before); };
           return block == first ? llvm::none_of(block->getPredecessors(), isOne)
                                 : llvm::all_of(block->getPredecessors(), isOne);
         });
}

static std::optional<Tail> findTail(const ScopeTree &scopes, const SmallPtrSetImpl<Operation *> &done,
                                    Operation *&wait) {
  for (const std::unique_ptr<Chain> &arm : scopes.getChains()) {
    Operation *end = arm->getBlocks().back()->getTerminator();
    wait = isa<LLVM::BrOp>(end) ? findWait(*arm) : nullptr;
    if (!wait || done.contains(wait))
      continue;
    // Find the branch of which the chain is a whole arm.
    for (const std::unique_ptr<Chain> &chain : scopes.getChains()) {
      int branch = chain.get() == arm.get() ? -1 : chain->findUnit(&arm->getBlocks().front()->front());
      if (branch < 0)
        continue;
      const Unit &unit = chain->getUnits()[branch];
      if (!unit.isPiece() || unit.leavesAbnormally() || end->getSuccessor(0) != unit.join ||
          isPassed(*chain, branch, wait))
        continue;
      const Unit *loop = findLastLoop(*chain, branch);
      Tail tail{end, {}, loop ? loop->join : nullptr};
      if (loop && !isa<LLVM::LandingpadOp>(loop->join->front()) && findBlocks(unit.join, loop->join, tail.blocks))
        return tail;
    }
  }
  return std::nullopt;
}

/// Passes values of the tail that are used later as arguments to the block after it. Returns false if that is
/// impossible.
static bool handOver(const Tail &tail) {
  auto isOutside = [&](Operation *user) {
    return !tail.blocks.contains(tail.after->getParent()->findAncestorBlockInRegion(*user->getBlock()));
  };
  HandOver leaving([&](Value value) { return !tail.blocks.contains(value.getParentBlock()); });
  auto leaves = [&](Value value) { return llvm::any_of(value.getUsers(), isOutside); };
  if (!llvm::all_of(tail.blocks, [&](Block *block) { return leaving.addOf(*block, leaves); }))
    return false;
  leaving.pass(tail.after, isOutside);
  return true;
}

static void copy(const Tail &tail) {
  IRMapping mapping;
  Location loc = tail.end->getLoc();
  // The copy of the first block extends the block where the arm ended.
  Block *first = tail.blocks.front();
  mapping.map(first, tail.end->getBlock());
  for (auto [argument, operand] : llvm::zip_equal(first->getArguments(), tail.end->getOperands()))
    mapping.map(argument, operand);
  tail.end->erase();
  auto *end = new Block();
  tail.after->getParent()->getBlocks().insert(Region::iterator(tail.after), end);
  mapping.map(tail.after, end);
  for (BlockArgument argument : tail.after->getArguments())
    end->addArgument(argument.getType(), argument.getLoc());
  SmallVector<Operation *> copies;
  copyBlocks(tail.blocks.getArrayRef(), end, mapping, copies);
  mapOperands(copies, mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(end);
  createBranch(builder, loc, {tail.after, llvm::to_vector_of<Value>(end->getArguments())});
}

bool comm::copyTails(Region &region) {
  SmallPtrSet<Operation *, 4> done;
  bool changed = false;
  for (;;) {
    ScopeTree scopes(region);
    Operation *wait = nullptr;
    std::optional<Tail> tail = findTail(scopes, done, wait);
    if (!tail)
      return changed;
    done.insert(wait);
    if (!handOver(*tail))
      continue;
    copy(*tail);
    changed = true;
  }
}
