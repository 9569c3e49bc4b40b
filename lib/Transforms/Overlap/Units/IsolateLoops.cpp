//===- IsolateLoops.cpp - Make each loop a unit ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimizers fuse the control flow of loops: the exit of one is the header of the next, and the test of two guards is
// executed once. Then there is no place for a wait between them. This pass restores these places. If nothing moves in
// the end, the function counts as unchanged; in other functions the optimizer removes what is not used.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Units/ArmNumbers.h"
#include "Units/CarryVariables.h"
#include "Units/HoistLoads.h"
#include "Units/JoinTails.h"
#include "Units/Lifetimes.h"
#include "Units/MergeBypasses.h"
#include "Units/MergeExits.h"
#include "Units/MergeTests.h"
#include "Units/SplitGuard.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/ControlFlow.h"

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace comm {
#define GEN_PASS_DEF_COMMISOLATELOOPS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
/// Caches the chains of a region, and those with an interval, until something changes: most patterns do not occur.
class Scopes {
public:
  explicit Scopes(Region &region) : region(region) {}
  const ScopeTree &getTree();
  DominanceInfo &getDominance();
  /// Outermost first.
  ArrayRef<const Chain *> getChainsWithInterval();
  /// Returns true if the unit contains an interval: the operations of such a branch should stay in one chain.
  bool containsInterval(const Unit &unit);
  /// Returns true if the unit contains a wait of the program for requests in memory: the loop or branch around it may
  /// be what moves.
  bool containsOwnWait(const Unit &unit);
  /// Invalidates the cache because blocks, or operations in them, have changed.
  void drop() {
    tree.reset();
    dominance.reset();
  }

private:
  bool hasInterval(const Chain &chain);

  Region &region;
  std::optional<ScopeTree> tree;
  std::optional<DominanceInfo> dominance;
  /// Blocks with intervals and with such waits, computed with the tree: units are nested, and there are few of these.
  SmallPtrSet<Block *, 8> intervals, ownWaits;
  std::optional<SmallVector<const Chain *>> withInterval;
};

struct IsolateLoops : public comm::impl::CommIsolateLoopsBase<IsolateLoops> {
  using CommIsolateLoopsBase::CommIsolateLoopsBase;
  void runOnOperation() final;

private:
  void isolateAll(Region &region);
  unsigned changeAll(Scopes &scopes, llvm::function_ref<bool()> changeOne);
  void mergeAllBypasses(Scopes &scopes);
  void mergeAllTests(Scopes &scopes);
  void joinAllTails(Scopes &scopes);
  void joinArms(Scopes &scopes);
  void hoistAllStores(Scopes &scopes);
  void splitGuards(Scopes &scopes);
  void hoistAll(Scopes &scopes);
};
} // namespace

//===----------------------------------------------------------------------===//
// Preheaders and exits
//===----------------------------------------------------------------------===//

/// Returns the edges into the block that come from inside or outside of the loop.
static SmallVector<BlockOperand *> getEdges(Block *block, const CFGLoop &loop, bool fromInside) {
  SmallVector<BlockOperand *> edges;
  for (BlockOperand &edge : block->getUses())
    if (loop.contains(edge.getOwner()->getBlock()) == fromInside)
      edges.push_back(&edge);
  return edges;
}

/// Returns false for landing pads, which exceptions reach on edges of their own.
static bool mayBeSplit(Block *target) {
  return !target->isEntryBlock() && !target->empty() && !isa<LLVM::LandingpadOp>(target->front());
}

/// Returns the operand that all edges pass, or null.
static Value getCommonOperand(ArrayRef<BlockOperand *> edges, unsigned index) {
  Value common;
  for (BlockOperand *edge : edges) {
    auto branch = dyn_cast<BranchOpInterface>(edge->getOwner());
    Value operand = branch ? branch.getSuccessorOperands(edge->getOperandNumber())[index] : Value();
    if (!operand || (common && operand != common))
      return nullptr;
    common = operand;
  }
  return common;
}

/// Inserts a block on the edges to `target`. It has arguments only for operands in which the edges differ, since alias
/// analysis does not look through long sequences of phis.
static void insertBlock(Block *target, ArrayRef<BlockOperand *> edges) {
  auto *block = new Block();
  target->getParent()->getBlocks().insert(Region::iterator(target), block);
  BranchTarget branch{target, {}};
  llvm::BitVector isCommon(target->getNumArguments());
  for (BlockArgument argument : target->getArguments()) {
    Value common = getCommonOperand(edges, argument.getArgNumber());
    isCommon[argument.getArgNumber()] = common != nullptr;
    branch.operands.push_back(common ? common : block->addArgument(argument.getType(), argument.getLoc()));
  }
  for (BlockOperand *edge : edges) {
    for (int i : llvm::reverse(isCommon.set_bits()))
      cast<BranchOpInterface>(edge->getOwner()).getSuccessorOperands(edge->getOperandNumber()).erase(i);
    edge->set(block);
  }
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  createBranch(builder, target->front().getLoc(), branch);
}

/// Gives the loop a preheader and dedicated exits.
static unsigned isolate(const CFGLoop &loop) {
  unsigned inserted = 0;
  Block *header = loop.getHeader();
  SmallVector<BlockOperand *> entries = getEdges(header, loop, false);
  bool hasPreheader = entries.size() == 1 && entries.front()->getOwner()->getNumSuccessors() == 1;
  if (!hasPreheader && mayBeSplit(header)) {
    insertBlock(header, entries);
    ++inserted;
  }
  SmallVector<Block *> exits;
  loop.getUniqueExitBlocks(exits);
  for (Block *exit : exits)
    if (!getEdges(exit, loop, false).empty() && mayBeSplit(exit)) {
      insertBlock(exit, getEdges(exit, loop, true));
      ++inserted;
    }
  return inserted;
}

void IsolateLoops::isolateAll(Region &region) {
  if (region.hasOneBlock())
    return;
  DominanceInfo dominance;
  CFGLoopInfo loops(dominance.getDomTree(&region));
  for (const CFGLoop *loop : loops.getLoopsInPreorder()) {
    numBlocks += isolate(*loop);
    numExits += mergeExits(*loop);
  }
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static bool isInterval(Operation *op) { return getInterval(op).has_value(); }

static bool isOwnWait(Operation *op) { return op->getDiscardableAttr(kFollowedAttrName) != nullptr; }

/// Adds the blocks of the region in which there is such an operation, nested or not.
static void findBlocks(Region &region, bool (*matches)(Operation *), SmallPtrSetImpl<Block *> &blocks) {
  blocks.clear();
  region.walk([&](Operation *op) {
    for (Operation *inner = matches(op) ? op : nullptr; inner && inner->getBlock(); inner = inner->getParentOp())
      blocks.insert(inner->getBlock());
  });
}

/// `blocks` are those with such an operation.
static bool contains(const Unit &unit, bool (*matches)(Operation *), const SmallPtrSetImpl<Block *> &blocks) {
  if (llvm::any_of(unit.interior, [&](Block *block) { return blocks.contains(block); }))
    return true;
  return unit.op->walk([&](Operation *op) { return matches(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool Scopes::containsInterval(const Unit &unit) { return contains(unit, isInterval, intervals); }

bool Scopes::containsOwnWait(const Unit &unit) { return contains(unit, isOwnWait, ownWaits); }

bool Scopes::hasInterval(const Chain &chain) {
  return llvm::any_of(chain.getUnits(), [&](const Unit &unit) {
    return (!unit.isPiece() && isInterval(unit.op)) || containsOwnWait(unit);
  });
}

/// Returns true if the trees are worth comparing each time that one is used: in large functions that takes minutes.
[[maybe_unused]] static bool isSmall(Region &region) {
  constexpr unsigned mostBlocks = 100;
  return !llvm::hasNItemsOrMore(region.getBlocks(), mostBlocks + 1);
}

/// Returns true if both trees have the same operations and blocks.
[[maybe_unused]] static bool areSame(const ScopeTree &a, const ScopeTree &b) {
  return llvm::equal(a.getChains(), b.getChains(), [](const auto &one, const auto &other) {
    return one->getBlocks() == other->getBlocks() &&
           llvm::equal(one->getUnits(), other->getUnits(), [](const Unit &unit, const Unit &same) {
             return unit.op == same.op && unit.join == same.join && unit.interior == same.interior;
           });
  });
}

const ScopeTree &Scopes::getTree() {
  if (!tree) {
    withInterval.reset();
    tree.emplace(region, getDominance());
    findBlocks(region, isInterval, intervals);
    findBlocks(region, isOwnWait, ownWaits);
  }
  assert((!isSmall(region) || areSame(*tree, ScopeTree(region))) && "a change did not invalidate the tree");
  return *tree;
}

DominanceInfo &Scopes::getDominance() {
  if (!dominance)
    dominance.emplace();
  return *dominance;
}

ArrayRef<const Chain *> Scopes::getChainsWithInterval() {
  const ScopeTree &current = getTree();
  if (!withInterval) {
    withInterval.emplace();
    for (const std::unique_ptr<Chain> &chain : current.getChains())
      if (hasInterval(*chain))
        withInterval->push_back(chain.get());
  }
  return *withInterval;
}

/// Gives an arm an end of its own if its guards lead past its end to the join of the branch itself: `if (a) { loop; if
/// (b) loop; }`, also with messages. Returns true if an arm had no such end.
static bool joinArm(const Unit &unit, Scopes &scopes) {
  std::optional<ConditionalBranch> branch = matchConditionalBranch(unit.op);
  if (!branch || unit.leavesAbnormally() || (!unit.isLoop && !scopes.containsInterval(unit)) || !mayBeSplit(unit.join))
    return false;
  auto ifTrue = findReachable(branch->ifTrue.block, unit.join),
       ifFalse = findReachable(branch->ifFalse.block, unit.join);
  if (llvm::any_of(ifTrue, [&](Block *block) { return ifFalse.contains(block); }))
    return false;
  for (const auto *arm : {&ifTrue, &ifFalse}) {
    SmallVector<BlockOperand *> edges;
    for (BlockOperand &edge : unit.join->getUses())
      if (arm->contains(edge.getOwner()->getBlock()))
        edges.push_back(&edge);
    if (edges.size() < 2 ||
        !llvm::all_of(edges, [](BlockOperand *edge) { return isa<BranchOpInterface>(edge->getOwner()); }))
      continue;
    insertBlock(unit.join, edges);
    return true;
  }
  return false;
}

/// Applies one change after the other as long as there is one, and recomputes the scopes each time. Returns the number
/// of changes.
unsigned IsolateLoops::changeAll(Scopes &scopes, llvm::function_ref<bool()> changeOne) {
  unsigned number = 0;
  while (number < maxSplits && changeOne()) {
    ++number;
    scopes.drop();
  }
  return number;
}

/// Only next to intervals and waits for requests in memory.
void IsolateLoops::mergeAllBypasses(Scopes &scopes) {
  auto isMerged = [&](const Unit &unit) { return unit.isPiece() && mergeBypass(unit.interior, scopes.getDominance()); };
  numTests += changeAll(scopes, [&] {
    return llvm::any_of(scopes.getChainsWithInterval(),
                        [&](const Chain *chain) { return llvm::any_of(chain->getUnits(), isMerged); });
  });
}

/// Only in branches with waits for requests in memory.
void IsolateLoops::mergeAllTests(Scopes &scopes) {
  auto isMerged = [&](const Unit &unit) {
    return unit.isPiece() && scopes.containsOwnWait(unit) && mergeTests(unit.interior);
  };
  numTests += changeAll(scopes, [&] {
    return llvm::any_of(scopes.getTree().getChains(),
                        [&](const std::unique_ptr<Chain> &chain) { return llvm::any_of(chain->getUnits(), isMerged); });
  });
}

/// Visits all branches in a chain with an interval: its units, and the branch that ends it.
void IsolateLoops::joinAllTails(Scopes &scopes) {
  numTails += changeAll(scopes, [&] {
    const ScopeTree &tree = scopes.getTree();
    auto isJoined = [&](const Unit &unit) { return unit.isPiece() && joinTails(tree, unit.op); };
    return llvm::any_of(scopes.getChainsWithInterval(), [&](const Chain *chain) {
      return llvm::any_of(chain->getUnits(), isJoined) || joinTails(tree, chain->getBlocks().back()->getTerminator());
    });
  });
}

/// Returns the chains with an interval, and recursively those of the arms of their branches.
static SmallPtrSet<const Chain *, 8> findChainsBesideIntervals(Scopes &scopes) {
  const ScopeTree &tree = scopes.getTree();
  ArrayRef<const Chain *> withInterval = scopes.getChainsWithInterval();
  SmallPtrSet<const Chain *, 8> result(withInterval.begin(), withInterval.end());
  // Outermost first.
  for (const std::unique_ptr<Chain> &chain : tree.getChains()) {
    if (!result.contains(chain.get()))
      continue;
    for (const Unit &unit : chain->getUnits())
      if (unit.isPiece() && matchConditionalBranch(unit.op))
        for (Block *entry : unit.op->getSuccessors())
          if (const Chain *arm = entry->getSinglePredecessor() ? findChain(tree, entry) : nullptr)
            result.insert(arm);
  }
  return result;
}

void IsolateLoops::joinArms(Scopes &scopes) {
  numBlocks += changeAll(scopes, [&] {
    SmallPtrSet<const Chain *, 8> beside = findChainsBesideIntervals(scopes);
    return llvm::any_of(scopes.getTree().getChains(), [&](const std::unique_ptr<Chain> &chain) {
      return llvm::any_of(chain->getUnits(), [&](const Unit &unit) {
        return unit.isPiece() && (beside.contains(chain.get()) || scopes.containsInterval(unit)) &&
               joinArm(unit, scopes);
      });
    });
  });
}

/// Hoists stores that both arms of a guard begin with, before the arms are split. Handles only the first unit with such
/// stores, since the chains in its arms then no longer match the tree.
static unsigned hoistSomeStores(Scopes &scopes) {
  DominanceInfo &dominance = scopes.getDominance();
  for (const Chain *chain : scopes.getChainsWithInterval())
    for (const Unit &unit : chain->getUnits())
      if (unsigned number = scopes.containsInterval(unit) ? 0 : hoistStores(unit, dominance))
        return number;
  return 0;
}

void IsolateLoops::hoistAllStores(Scopes &scopes) {
  for (unsigned i = 0; i < maxSplits; ++i) {
    unsigned number = hoistSomeStores(scopes);
    if (number == 0)
      return;
    scopes.drop();
    numHoisted += number;
  }
}

/// Returns the units that waits may pass: all units of a chain with an interval; in other chains those after a branch
/// with an interval, which CopyTails may copy into that branch.
static ArrayRef<Unit> getUnitsThatWaitsPass(const Chain &chain, Scopes &scopes) {
  ArrayRef<Unit> units = chain.getUnits();
  return llvm::is_contained(scopes.getChainsWithInterval(), &chain)
             ? units
             : units.drop_until([&](const Unit &unit) { return scopes.containsInterval(unit); });
}

static std::optional<Guard> findGuard(Scopes &scopes) {
  const ScopeTree &tree = scopes.getTree();
  for (const std::unique_ptr<Chain> &chain : tree.getChains())
    for (const Unit &unit : getUnitsThatWaitsPass(*chain, scopes))
      for (bool isTrueArm : {true, false})
        if (unit.isPiece() && (!scopes.containsInterval(unit) || scopes.containsOwnWait(unit)))
          if (std::optional<Guard> guard = matchGuard(tree, unit, isTrueArm))
            return guard;
  return std::nullopt;
}

void IsolateLoops::splitGuards(Scopes &scopes) {
  for (unsigned i = 0; i < maxSplits; ++i) {
    joinArms(scopes);
    std::optional<Guard> guard = findGuard(scopes);
    if (!guard)
      return;
    splitGuard(*guard, scopes.getDominance());
    scopes.drop();
    ++numGuards;
  }
}

/// Hoists values that the arms of a branch next to an interval pass on but did not need to compute.
void IsolateLoops::hoistAll(Scopes &scopes) {
  DominanceInfo &dominance = scopes.getDominance();
  for (const Chain *chain : scopes.getChainsWithInterval())
    for (const Unit &unit : chain->getUnits())
      numHoisted += hoistResults(unit, dominance);
}

void IsolateLoops::runOnOperation() {
  getOperation()->walk([&](FunctionOpInterface function) {
    bool communicates = false;
    function->walk(
        [&](Operation *op) { communicates |= getInterval(op).has_value() || op->hasAttr(kFollowedAttrName); });
    if (!communicates)
      return;
    isolateAll(function.getFunctionBody());
    if (auto compiled = dyn_cast<LLVM::LLVMFuncOp>(*function)) {
      numLoads += hoistPrivateLoads(compiled);
      numCarried += carryPrivateVariables(compiled);
    }
    Scopes scopes(function.getFunctionBody());
    mergeAllBypasses(scopes);
    mergeAllTests(scopes);
    joinAllTails(scopes);
    if (unsigned number = extendLifetimes(function, scopes.getTree())) {
      numExtended += number;
      scopes.drop();
    }
    if (joinStackScopes(function, scopes.getTree()))
      scopes.drop();
    if (restoreStackLater(function, scopes.getTree()))
      scopes.drop();
    if (joinStackRestores(function)) {
      scopes.drop();
      if (restoreStackLater(function, scopes.getTree()))
        scopes.drop();
    }
    changeStackEarlier(function, [&]() -> const ScopeTree & {
      scopes.drop();
      return scopes.getTree();
    });
    scopes.drop();
    hoistAllStores(scopes);
    splitGuards(scopes);
    hoistAll(scopes);
  });
}
