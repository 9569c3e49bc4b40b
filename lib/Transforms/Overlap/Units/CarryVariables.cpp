//===- CarryVariables.cpp - Loops that add to private variables -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/CarryVariables.h"

#include "Units/PrivateVariable.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/Mem2Reg.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

namespace {
/// The accesses of a loop to some bytes of a variable: loads and stores of all these bytes as one type.
struct Carried {
  Type type;
  VariableRange range;
  uint64_t alignment = 0;
  SmallVector<LLVM::LoadOp> loads;
  SmallVector<LLVM::StoreOp> stores;
};
} // namespace

static bool isIn(const CFGLoop &loop, Operation *op) {
  Operation *here = loop.getHeader()->getParent()->findAncestorOpInRegion(*op);
  return here && loop.contains(here->getBlock());
}

/// Finds all bytes that the loop stores to. Returns none if it uses the variable in other ways.
static SmallVector<Carried> findCarried(const PrivateVariable &variable, const CFGLoop &loop) {
  SmallVector<Carried> all;
  std::optional<int64_t> size = variable.getSize();
  auto note = [&](Type type, VariableRange range, std::optional<uint64_t> alignment) -> Carried * {
    if (!size || range.begin < 0 || range.end > *size)
      return nullptr;
    Carried *met = llvm::find_if(all, [&](const Carried &carried) { return carried.range.meets(range); });
    if (met == all.end())
      met = &all.emplace_back(Carried{type, range, 0, {}, {}});
    met->alignment = std::max(met->alignment, alignment.value_or(0));
    return met->type == type && met->range.begin == range.begin ? met : nullptr;
  };
  if (llvm::any_of(variable.getOtherLoads(), [&](LLVM::LoadOp load) { return isIn(loop, load); }))
    return {};
  for (auto [load, range] : variable.getLoads())
    if (isIn(loop, load)) {
      Carried *carried = note(load.getType(), range, load.getAlignment());
      if (!carried)
        return {};
      carried->loads.push_back(load);
    }
  for (auto [op, range] : variable.getChanges())
    if (isIn(loop, op)) {
      auto store = dyn_cast<LLVM::StoreOp>(op);
      bool isPlain = store && isPlainAccess(store);
      Carried *carried = isPlain ? note(store.getValue().getType(), range, store.getAlignment()) : nullptr;
      if (!carried)
        return {};
      carried->stores.push_back(store);
    }
  llvm::erase_if(all, [](const Carried &carried) { return carried.stores.empty(); });
  return all;
}

/// Returns true if the variable is alive at the end of the block, because the only path there stores or loads it.
/// Variables without lifetime markers are always alive.
static bool livesAtEnd(const PrivateVariable &variable, Block *block) {
  auto isMarker = [](Operation *op) { return isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op); };
  DenseSet<Operation *> accesses, markers;
  for (auto [load, range] : variable.getLoads())
    accesses.insert(load);
  for (auto [op, range] : variable.getChanges())
    (isMarker(op) ? markers : accesses).insert(op);
  if (markers.empty())
    return true;
  SmallPtrSet<Block *, 8> seen;
  for (; block && seen.insert(block).second; block = block->getSinglePredecessor())
    for (Operation &op : llvm::reverse(*block)) {
      if (markers.contains(&op))
        return isa<LLVM::LifetimeStartOp>(op);
      if (isa<LLVM::StoreOp, LLVM::LoadOp>(op) && accesses.contains(&op))
        return true;
    }
  return false;
}

/// Returns the value that the program has stored to these bytes on the only path to the end of the block, if that was
/// their last change: `double change = 0` before a loop.
static Value findStored(const PrivateVariable &variable, const Carried &carried, Block *block) {
  DenseMap<Operation *, VariableRange> changes;
  for (auto [op, range] : variable.getChanges())
    if (range.meets(carried.range))
      changes.insert({op, range});
  SmallPtrSet<Block *, 8> seen;
  for (; block && seen.insert(block).second; block = block->getSinglePredecessor())
    for (Operation &op : llvm::reverse(*block)) {
      auto change = changes.find(&op);
      if (change == changes.end())
        continue;
      auto store = dyn_cast<LLVM::StoreOp>(op);
      bool isSame = store && isPlainAccess(store) && store.getValue().getType() == carried.type &&
                    change->second.begin == carried.range.begin && change->second.end == carried.range.end;
      return isSame ? store.getValue() : Value();
    }
  return {};
}

/// Returns the exit blocks if only the loop leads to them and none is a landing pad, otherwise none.
static std::optional<SmallVector<Block *>> findExits(const CFGLoop &loop) {
  SmallVector<Block *> exits;
  loop.getUniqueExitBlocks(exits);
  for (Block *exit : exits) {
    bool isOwn = llvm::all_of(exit->getPredecessors(), [&](Block *block) { return loop.contains(block); });
    if (!isOwn || isa<LLVM::LandingpadOp>(exit->front()))
      return std::nullopt;
  }
  return exits;
}

/// Replaces the variable in the loop by a second one, which has only loads and stores, and promotes that to a value.
static void carry(const Carried &carried, LLVM::AllocaOp variable, Value stored, Block *before,
                  ArrayRef<Block *> exits) {
  Location loc = variable.getLoc();
  OpBuilder builder(variable);
  Value one = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 1);
  auto second = LLVM::AllocaOp::create(builder, loc, variable.getType(), carried.type, one);
  Operation *like = carried.stores.front();
  auto load = [&](Value address, uint64_t alignment) {
    return LLVM::LoadOp::create(builder, loc, carried.type, address, alignment);
  };
  auto getAddress = [&]() -> Value {
    if (carried.range.begin == 0)
      return variable;
    return LLVM::GEPOp::create(builder, loc, variable.getType(), builder.getI8Type(), variable.getResult(),
                               LLVM::GEPArg(static_cast<int32_t>(carried.range.begin)));
  };
  for (LLVM::LoadOp op : carried.loads)
    op.getAddrMutable().assign(second);
  for (LLVM::StoreOp op : carried.stores)
    op.getAddrMutable().assign(second);
  builder.setInsertionPoint(before->getTerminator());
  // As a value, it may equal another one that the program carries itself (MergeTwins.cpp).
  Value first = stored ? stored : load(getAddress(), carried.alignment);
  LLVM::StoreOp::create(builder, loc, first, second);
  for (Block *exit : exits) {
    builder.setInsertionPointToStart(exit);
    auto last = load(second, 0);
    auto store = LLVM::StoreOp::create(builder, loc, last, getAddress(), carried.alignment);
    if (Attribute tags = like->getAttr("tbaa"))
      store->setAttr("tbaa", tags);
    store->setLoc(like->getLoc());
  }
  DominanceInfo dominance(variable->getParentOp());
  DataLayout layout = DataLayout::closest(variable);
  (void)tryToPromoteMemorySlots({cast<PromotableAllocationOpInterface>(second.getOperation())}, builder, layout,
                                dominance);
}

/// Turns `if (c) goto empty; join(old); empty: join(value)`, which was a store under a condition, into a select.
static void foldEmptyArms(ArrayRef<Block *> blocks) {
  for (Block *block : blocks) {
    std::optional<ConditionalBranch> branch = matchConditionalBranch(block->getTerminator());
    if (!branch)
      continue;
    for (bool isTrueArm : {true, false}) {
      BranchTarget &arm = isTrueArm ? branch->ifTrue : branch->ifFalse;
      BranchTarget &other = isTrueArm ? branch->ifFalse : branch->ifTrue;
      Block *empty = arm.block;
      std::optional<BranchTarget> leave = matchBranch(empty->getTerminator());
      if (!llvm::hasSingleElement(*empty) || empty->getNumArguments() || !empty->getSinglePredecessor() || !leave ||
          leave->block != other.block)
        continue;
      OpBuilder builder(block->getTerminator());
      Location loc = block->getTerminator()->getLoc();
      BranchTarget join{other.block, {}};
      for (auto [value, old] : llvm::zip_equal(leave->operands, other.operands)) {
        Value ifTrue = isTrueArm ? value : old, ifFalse = isTrueArm ? old : value;
        join.operands.push_back(value == old ? value : createSelect(builder, loc, branch->condition, ifTrue, ifFalse));
      }
      createBranch(builder, loc, join);
      block->getTerminator()->erase();
      empty->erase();
      break;
    }
  }
}

/// Finds the outermost loops without communication.
static void findLoops(ArrayRef<CFGLoop *> among, const DenseSet<CFGLoop *> &communicating,
                      SmallVectorImpl<CFGLoop *> &found) {
  for (CFGLoop *loop : among)
    if (communicating.contains(loop))
      findLoops(loop->getSubLoops(), communicating, found);
    else
      found.push_back(loop);
}

unsigned comm::carryPrivateVariables(LLVM::LLVMFuncOp function) {
  Region &body = function.getBody();
  if (body.hasOneBlock())
    return 0;
  DominanceInfo dominance;
  CFGLoopInfo loops(dominance.getDomTree(&body));
  SmallVector<CFGLoop *> found;
  findLoops(loops.getTopLevelLoops(), findCommunicatingLoops(loops, body), found);
  unsigned numCarried = 0;
  llvm::SmallSetVector<Block *, 8> ofStores;
  for (auto variable : llvm::make_early_inc_range(body.front().getOps<LLVM::AllocaOp>())) {
    auto uses = std::make_unique<PrivateVariable>(variable);
    for (CFGLoop *loop : found) {
      SmallVector<Carried> all = findCarried(*uses, *loop);
      Block *before = loop->getLoopPredecessor();
      if (all.empty() || !before || before->getNumSuccessors() != 1 || uses->isKnownIn(*loop) ||
          !livesAtEnd(*uses, before))
        continue;
      std::optional<SmallVector<Block *>> exits = findExits(*loop);
      if (!exits)
        continue;
      for (const Carried &carried : all) {
        for (LLVM::StoreOp store : carried.stores)
          if (Block *block = store->getBlock()->getSinglePredecessor())
            ofStores.insert(block);
        carry(carried, variable, findStored(*uses, carried, before), before, *exits);
      }
      uses = std::make_unique<PrivateVariable>(variable); // it has other loads and stores now
      numCarried += all.size();
    }
  }
  // The blocks belong to the loops above and are valid only as long as these are.
  foldEmptyArms(ofStores.getArrayRef());
  return numCarried;
}
