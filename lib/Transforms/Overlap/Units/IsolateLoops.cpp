//===- IsolateLoops.cpp - Each loop a unit of its own ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimizers run loops together: the exit of one is the header of the next, and what two guards ask is asked once. Then
// there is no place between them where a wait could go. This puts the places back. Where nothing moves after all, the
// function counts as unchanged; in others the optimizer clears away what is not used.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Units/ArmNumbers.h"
#include "Units/CarryVariables.h"
#include "Units/HoistLoads.h"
#include "Units/JoinTails.h"
#include "Units/Lifetimes.h"
#include "Units/MergeExits.h"
#include "Units/MergeTests.h"

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
/// The chains of a region, and those with an interval, until something changes: most of what is looked for is not
/// there.
class Scopes {
public:
  explicit Scopes(Region &region) : region(region) {}
  const ScopeTree &getTree();
  /// Outermost first.
  ArrayRef<const Chain *> getChainsWithInterval();
  /// Blocks, or operations in them, are no longer what they were.
  void drop() { tree.reset(); }

private:
  Region &region;
  std::optional<ScopeTree> tree;
  std::optional<SmallVector<const Chain *>> withInterval;
};

struct IsolateLoops : public comm::impl::CommIsolateLoopsBase<IsolateLoops> {
  using CommIsolateLoopsBase::CommIsolateLoopsBase;
  void runOnOperation() final;

private:
  void isolateAll(Region &region);
  void mergeAllTests(Scopes &scopes);
  void joinAllTails(Scopes &scopes);
  void joinArms(Scopes &scopes);
  void hoistAllStores(Scopes &scopes);
  void splitGuards(Scopes &scopes);
  void hoistAll(Scopes &scopes);
};

/// One arm of a branch, and where its second part begins.
struct Guard {
  Operation *branch;
  Block *join;
  Value condition;
  bool isTrueArm;
  /// The operation that the second part begins with.
  Operation *second;
  /// The blocks before the one that it is in.
  llvm::SmallSetVector<Block *, 16> first;
  /// The block that the arm ends with.
  Block *end;
  /// How control comes to the join without the arm: by the branch itself, or by the end of the other arm.
  Operation *skip;
  SmallVector<Value> skipOperands;
  /// Where the other arm begins, or the join.
  Block *other;

  bool hasOtherArm() const { return skip != branch; }
};
} // namespace

//===----------------------------------------------------------------------===//
// Preheaders and exits
//===----------------------------------------------------------------------===//

/// The edges into the block, as far as they come from inside or outside of the loop.
static SmallVector<BlockOperand *> getEdges(Block *block, const CFGLoop &loop, bool fromInside) {
  SmallVector<BlockOperand *> edges;
  for (BlockOperand &edge : block->getUses())
    if (loop.contains(edge.getOwner()->getBlock()) == fromInside)
      edges.push_back(&edge);
  return edges;
}

/// Exceptions come to their landing pad on edges of their own.
static bool mayBeSplit(Block *target) {
  return !target->isEntryBlock() && !target->empty() && !isa<LLVM::LandingpadOp>(target->front());
}

/// The operand that all the edges hand over, or null.
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

/// A block of its own on the edges to `target`. It has arguments only for what the edges hand over differently: alias
/// analysis does not look through long rows of phis.
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

/// Gives the loop a block that leads to it alone, and for each way out one that comes from it alone.
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

/// The chain that begins with that block, or null.
static const Chain *findChain(const ScopeTree &tree, Block *head) {
  for (const std::unique_ptr<Chain> &chain : tree.getChains())
    if (chain->getBlocks().front() == head)
      return chain.get();
  return nullptr;
}

static bool isEffective(const Unit &unit) { return unit.isPiece() || !isMemoryEffectFree(unit.op); }

/// A load of what is only the first value of a variable that each iteration loads again (`begin[0]`, where iterations
/// load `begin[i + 1]`): a part of the loop, which would be loaded where a part of its iterations begins.
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

/// The first place in the chain between a loop and something else that does anything.
static Operation *findPlaceBesideLoop(const Chain &chain) {
  ArrayRef<Unit> units = chain.getUnits();
  for (size_t i = 0; i < units.size(); ++i) {
    if (!units[i].isLoop)
      continue;
    if (llvm::any_of(units.take_front(i),
                     [](const Unit &unit) { return isEffective(unit) && !isFirstOfLoaded(unit); })) {
      size_t first = i;
      while (first > 0 && isFirstOfLoaded(units[first - 1]))
        --first;
      return units[first].op;
    }
    if (llvm::any_of(units.drop_front(i + 1), isEffective))
      return &units[i].join->front();
  }
  return nullptr;
}

/// The chain from that block on, if it is all that is guarded by its one predecessor, and goes on at the join alone.
static const Chain *findArm(const ScopeTree &tree, Block *entry, Block *join) {
  const Chain *chain = entry->getSinglePredecessor() ? findChain(tree, entry) : nullptr;
  if (!chain)
    return nullptr;
  std::optional<BranchTarget> leave = matchBranch(chain->getBlocks().back()->getTerminator());
  return leave && leave->block == join ? chain : nullptr;
}

static std::optional<Guard> matchGuard(const ScopeTree &tree, const Unit &unit, bool isTrueArm);

/// In an arm that is one more branch and nothing else, as in `if (rows > 0) if (columns > 0) { loop; loop; }`: the
/// branch that is to be split first.
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

/// A branch one arm of which has a loop and something else; or both arms of which have a loop, of which one comes after
/// the other then.
static std::optional<Guard> matchGuard(const ScopeTree &tree, const Unit &unit, bool isTrueArm) {
  std::optional<ConditionalBranch> branch = unit.isPiece() ? matchConditionalBranch(unit.op) : std::nullopt;
  if (!branch || unit.leavesAbnormally)
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
  return guard;
}

/// What the branch results in without the second part having a say is known before it: `x = c ? value : other`.
static void bringForward(const Guard &guard, Block *second, Block *last, ArrayRef<Value> others) {
  auto blocks = findReachable(second, guard.join);
  std::optional<BranchTarget> leave = matchBranch(last->getTerminator());
  OpBuilder builder = OpBuilder::atBlockBegin(second->getSinglePredecessor());
  for (auto [argument, value, other] : llvm::zip_equal(guard.join->getArguments(), leave->operands, others)) {
    if (argument.use_empty() || blocks.contains(value.getParentBlock()))
      continue;
    Value ifTrue = guard.isTrueArm ? value : other, ifFalse = guard.isTrueArm ? other : value;
    argument.replaceAllUsesWith(createSelect(builder, argument.getLoc(), guard.condition, ifTrue, ifFalse));
  }
}

/// `if (c) { first; second } else other` becomes `if (c) first; else other; if (c) second`. What the first part
/// computes and the second one uses is poison where neither runs. The first part may be nothing.
static void splitGuard(const Guard &guard) {
  Location loc = guard.branch->getLoc();
  OpBuilder builder(guard.branch->getContext());
  // The old block keeps its arguments, and is where the first part ends.
  Block *end = guard.second->getBlock();
  Block *second = end->splitBlock(guard.second);
  Block *last = guard.end == end ? second : guard.end;
  Block *middle = new Block();
  second->getParent()->getBlocks().insert(Region::iterator(second), middle);

  auto isFirst = [&](Block *block) {
    for (; block; block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
      if (block == end || guard.first.contains(block))
        return true;
    return false;
  };
  // What can be computed before the branch need not be handed over: alias analysis does not look through arguments.
  SmallVector<Block *> blocks(guard.first.begin(), guard.first.end());
  blocks.append({end, second});
  if (guard.hasOtherArm())
    blocks.push_back(guard.other);
  hoistNumbers(blocks, guard.branch);
  llvm::SmallSetVector<Value, 8> crossing;
  auto note = [&](Value value) {
    if (llvm::any_of(value.getUsers(), [&](Operation *user) { return !isFirst(user->getBlock()); }))
      crossing.insert(value);
  };
  auto noteBlock = [&](Block *block) {
    llvm::for_each(block->getArguments(), note);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), note);
  };
  llvm::for_each(guard.first, noteBlock);
  noteBlock(end);

  BranchTarget finished{middle, llvm::to_vector(crossing)}, skipped{middle, {}};
  builder.setInsertionPoint(guard.skip);
  for (Value value : crossing) {
    skipped.operands.push_back(createPoison(builder, loc, value.getType()));
    BlockArgument argument = middle->addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(argument, [&](OpOperand &use) { return !isFirst(use.getOwner()->getBlock()); });
  }
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

/// A wait of the program for requests in memory: the loop or branch around it may be what moves.
static bool containsOwnWait(const Unit &unit) {
  bool found = false;
  unit.walk([&](Operation *op) { found |= op->hasAttr(kFollowedAttrName); });
  return found;
}

static bool hasInterval(const Chain &chain) {
  return llvm::any_of(chain.getUnits(), [](const Unit &unit) {
    return (!unit.isPiece() && getInterval(unit.op)) || containsOwnWait(unit);
  });
}

/// Whether two trees are of the same operations and blocks.
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
    tree.emplace(region);
  }
  assert(areSame(*tree, ScopeTree(region)) && "who changes something has to tell");
  return *tree;
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

/// In a branch with intervals of its own, they are better off in one chain.
static bool containsInterval(const Unit &unit) {
  bool found = false;
  unit.walk([&](Operation *op) { found |= getInterval(op).has_value(); });
  return found;
}

/// Guards in an arm may lead past its end, to where the branch itself joins: `if (a) { loop; if (b) loop; }`, also of
/// messages. Gives the arm an end of its own. Whether one was missing.
static bool joinArm(const Unit &unit) {
  std::optional<ConditionalBranch> branch = matchConditionalBranch(unit.op);
  if (!branch || unit.leavesAbnormally || (!unit.isLoop && !containsInterval(unit)) || !mayBeSplit(unit.join))
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

/// In branches with waits for requests in memory.
void IsolateLoops::mergeAllTests(Scopes &scopes) {
  bool changed = true;
  for (unsigned i = 0; i < maxSplits && changed; ++i) {
    changed = false;
    for (const std::unique_ptr<Chain> &chain : scopes.getTree().getChains())
      for (const Unit &unit : chain->getUnits())
        changed = changed || (unit.isPiece() && containsOwnWait(unit) && mergeTests(unit.interior));
    numTests += changed;
    if (changed)
      scopes.drop();
  }
}

/// Of all branches in a chain with an interval: those that units are, and the one that the chain ends with.
void IsolateLoops::joinAllTails(Scopes &scopes) {
  bool changed = true;
  for (unsigned i = 0; i < maxSplits && changed; ++i) {
    const ScopeTree &tree = scopes.getTree();
    changed = false;
    for (const Chain *chain : scopes.getChainsWithInterval()) {
      for (const Unit &unit : chain->getUnits())
        changed = changed || (unit.isPiece() && joinTails(tree, unit.op));
      changed = changed || joinTails(tree, chain->getBlocks().back()->getTerminator());
    }
    numTails += changed;
    if (changed)
      scopes.drop();
  }
}

/// The chains with an interval, and those of the arms of their branches, of the branches in these, and so on.
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
  bool changed = true;
  for (unsigned i = 0; i < maxSplits && changed; ++i) {
    SmallPtrSet<const Chain *, 8> beside = findChainsBesideIntervals(scopes);
    changed = false;
    for (const std::unique_ptr<Chain> &chain : scopes.getTree().getChains())
      for (const Unit &unit : chain->getUnits())
        changed =
            changed || (unit.isPiece() && (beside.contains(chain.get()) || containsInterval(unit)) && joinArm(unit));
    numBlocks += changed;
    if (changed)
      scopes.drop();
  }
}

/// What both arms of a guard begin with, before they are split.
/// Of the first unit that has some. Then the units of the chains in its arms are no longer those of the tree.
static unsigned hoistSomeStores(Scopes &scopes) {
  DominanceInfo dominance;
  for (const Chain *chain : scopes.getChainsWithInterval())
    for (const Unit &unit : chain->getUnits())
      if (unsigned number = containsInterval(unit) ? 0 : hoistStores(unit, dominance))
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

void IsolateLoops::splitGuards(Scopes &scopes) {
  for (unsigned i = 0; i < maxSplits; ++i) {
    joinArms(scopes);
    const ScopeTree &tree = scopes.getTree();
    std::optional<Guard> guard;
    for (const Chain *chain : scopes.getChainsWithInterval())
      for (const Unit &unit : chain->getUnits())
        for (bool isTrueArm : {true, false})
          if (!guard && unit.isPiece() && (!containsInterval(unit) || containsOwnWait(unit)))
            guard = matchGuard(tree, unit, isTrueArm);
    if (!guard)
      return;
    splitGuard(*guard);
    scopes.drop();
    ++numGuards;
  }
}

/// What the arms of a branch next to an interval hand over, but did not need to compute.
void IsolateLoops::hoistAll(Scopes &scopes) {
  DominanceInfo dominance;
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
    mergeAllTests(scopes);
    joinAllTails(scopes);
    if (unsigned number = extendLifetimes(function)) {
      numExtended += number;
      scopes.drop();
    }
    hoistAllStores(scopes);
    splitGuards(scopes);
    hoistAll(scopes);
  });
}
