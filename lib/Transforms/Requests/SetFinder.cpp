//===- SetFinder.cpp - Waits and the starts that fill their slots ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SetFinder.h"

#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

/// Limit on the product of starts and blocks for each wait.
static constexpr size_t kMostFillWork = 50000;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<RequestLoop> SetFinder::matchLoop(Operation *op) {
  Value pointer = cast<MPIOpInterface>(op).getParam("request");
  CFGLoop *loop = loops.getLoopFor(op->getBlock());
  Block *latch = loop ? loop->getLoopLatch() : nullptr;
  if (!pointer || !latch || loop->getExitingBlock() != latch || !dominance.dominates(op->getBlock(), latch))
    return std::nullopt;
  return matchRequestLoop(op, pointer, *loop, layout, handleSize);
}

/// Returns true if both are the same number whenever one is computed soon after the other: the same value, or the same
/// arithmetic. Adds pairs of loads from one address to `loads`.
bool SetFinder::areSame(Value a, Value b, SmallVectorImpl<LoadPair> &loads, unsigned depth) {
  constexpr unsigned most = 8;
  if (a == b)
    return true;
  // A value that was loaded on each path.
  if (isa<BlockArgument>(b) && !isa<BlockArgument>(a))
    std::swap(a, b);
  if (auto argument = dyn_cast<BlockArgument>(a);
      argument && !argument.getOwner()->isEntryBlock() && b.getDefiningOp<LLVM::LoadOp>() && depth < most) {
    std::optional<SmallVector<Value>> passed = getPassedValues(argument);
    return passed && llvm::all_of(*passed, [&](Value each) { return areSame(each, b, loads, depth + 1); });
  }
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (depth == most || !first || !second || first->getName() != second->getName() || first->getNumResults() != 1 ||
      second->getNumResults() != 1 || a.getType() != b.getType() || first->getNumRegions() != 0)
    return false;
  auto load = dyn_cast<LLVM::LoadOp>(first), other = dyn_cast<LLVM::LoadOp>(second);
  if (load) {
    bool isPlain = !load.getVolatile_() && !other.getVolatile_() &&
                   load.getOrdering() == LLVM::AtomicOrdering::not_atomic &&
                   other.getOrdering() == LLVM::AtomicOrdering::not_atomic;
    if (!isPlain || !areSame(load.getAddr(), other.getAddr(), loads, depth + 1))
      return false;
    loads.push_back({load, other});
    return true;
  }
  if (!isPure(first) || !isPure(second) || first->getAttrDictionary() != second->getAttrDictionary())
    return false;
  return llvm::all_of(llvm::zip_equal(first->getOperands(), second->getOperands()), [&](auto operands) {
    return areSame(std::get<0>(operands), std::get<1>(operands), loads, depth + 1);
  });
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Returns the branch that decides whether control reaches the block, looking past blocks with one predecessor and one
/// successor.
static std::pair<LLVM::CondBrOp, bool> findGuard(Block *block) {
  while (Block *before = block->getSinglePredecessor()) {
    if (auto branch = dyn_cast<LLVM::CondBrOp>(before->getTerminator()))
      return branch.getTrueDest() == branch.getFalseDest() ? std::pair(LLVM::CondBrOp(), false)
                                                           : std::pair(branch, branch.getTrueDest() == block);
    if (before->getNumSuccessors() != 1)
      break;
    block = before;
  }
  return {nullptr, false};
}

/// Returns the block through which control reaches the waits only if it has passed the starts: under the same
/// condition, or always.
Block *SetFinder::findGate(const RequestLoop &starts, const RequestLoop &waits) {
  Block *header = waits.loop->getHeader();
  if (dominance.dominates(starts.loop->getHeader(), header))
    return header;
  auto [guard, isTrue] = findGuard(starts.loop->getLoopPredecessor());
  if (!guard)
    if (auto branch = dyn_cast<LLVM::CondBrOp>(starts.loop->getLoopPredecessor()->getTerminator());
        branch && branch.getTrueDest() != branch.getFalseDest()) {
      guard = branch;
      isTrue = branch.getTrueDest() == starts.loop->getHeader();
    }
  // Both branches must be executed as often as the loops are reached.
  CFGLoop *around = starts.loop->getParentLoop();
  if (!guard || loops.getLoopFor(guard->getBlock()) != around || !dominance.dominates(guard->getBlock(), header))
    return nullptr;
  for (Operation *user : guard.getCondition().getUsers()) {
    auto other = dyn_cast<LLVM::CondBrOp>(user);
    if (!other || other == guard || loops.getLoopFor(other->getBlock()) != around ||
        other.getTrueDest() == other.getFalseDest() || !dominance.dominates(guard->getBlock(), other->getBlock()))
      continue;
    Block *target = isTrue ? other.getTrueDest() : other.getFalseDest();
    if (target->getSinglePredecessor() == other->getBlock() && dominance.dominates(target, header))
      return other->getBlock();
  }
  return nullptr;
}

/// Returns true if control that leaves these blocks reaches the gate before the function ends or the next iteration of
/// the loop around begins.
static bool isAlwaysReached(ArrayRef<Block *> from, Block *gate, CFGLoop *around) {
  return llvm::none_of(findReachable<Block>(from, [&](Block *block) { return block == gate; }), [&](Block *block) {
    bool isEnd = block->getNumSuccessors() == 0 && !isa<LLVM::UnreachableOp>(block->getTerminator());
    return isEnd || (around && block == around->getHeader());
  });
}

std::optional<RequestSet> SetFinder::matchSet(const RequestLoop &starts, const RequestLoop &waits) {
  RequestSet set{{starts.op}, waits.op, {}, {}, {}};
  CFGLoop *around = starts.loop->getParentLoop();
  if (starts.loop == waits.loop || waits.loop->getParentLoop() != around ||
      !areSame(starts.count, waits.count, set.loads) || !areSame(starts.base, waits.base, set.loads))
    return std::nullopt;
  Block *stop = around ? around->getHeader() : nullptr, *gate = findGate(starts, waits);
  SmallVector<Block *> exits;
  starts.loop->getExitBlocks(exits);
  if (!gate || !isAlwaysReached(exits, gate, around))
    return std::nullopt;
  // Blocks that control may reach without a new iteration of the loop around.
  auto after = findReachable<Block>(exits, [&](Block *block) { return block == stop; });
  // A cycle that is not a loop.
  if (after.contains(starts.loop->getHeader()) || !after.contains(waits.loop->getHeader()))
    return std::nullopt;
  if (!addBetween(set, {starts.op}, around))
    return std::nullopt;
  return set;
}

//===----------------------------------------------------------------------===//
// Slot by slot
//===----------------------------------------------------------------------===//

/// Returns the slots that a start writes or a wait accesses, if the first one is a constant or the sum of a constant
/// and a value.
std::optional<SlotRange> SetFinder::getSlots(Operation *op) {
  std::optional<LinearIndex> first = getElement(getRequestPointer(op), layout, handleSize);
  if (!first)
    return std::nullopt;
  Value count = isWaitInMemory(op) ? cast<MPIOpInterface>(op).getParam("count") : Value();
  SlotNumber number = count ? SlotNumber(getLinearIndex(count)) : SlotNumber(1);
  std::optional<SlotNumber> end = SlotNumber(*first).plus(number);
  return end ? std::optional(SlotRange{*first, *end}) : std::nullopt;
}

bool SetFinder::isNullHandle(Value value) {
  std::optional<mpi::HandleRepresentation> representation = getRepresentation(value);
  return representation && abi.nameOf(*representation, mpi::HandleClass::Request) == "MPI_REQUEST_NULL";
}

/// Returns everything that writes slots of the array or waits for them; `loads` gets the loads whose values must not
/// change in between.
SlotUses SetFinder::findUses(Value base, ArrayRef<Operation *> starts, ArrayRef<Operation *> waits,
                             llvm::DenseMap<Operation *, SmallVector<LoadPair>> &loads) {
  SlotUses uses;
  auto isHere = [&](Operation *op, Value pointer) {
    SmallVector<LoadPair> found;
    bool isSame = areSame(getBasePointer(pointer), base, found);
    if (isSame)
      loads[op] = std::move(found);
    return isSame;
  };
  for (Operation *start : starts)
    if (std::optional<SlotRange> slots = getSlots(start); slots && isHere(start, getRequestPointer(start)))
      uses.writers[start] = slots->first;
  for (Operation *wait : waits)
    if (isHere(wait, getRequestPointer(wait)))
      uses.waits[wait] = getSlots(wait);
  for (Block &block : region)
    for (auto store : block.getOps<LLVM::StoreOp>())
      if (isPlainAccess(store) && isNullHandle(store.getValue()) && isHere(store, store.getAddr()))
        if (std::optional<LinearIndex> slot = getElement(store.getAddr(), layout, handleSize))
          uses.writers[store] = SlotNumber(*slot);
  return uses;
}

/// Returns true if all loads are in the loop, which may be null.
static bool areIn(ArrayRef<LoadPair> loads, CFGLoop *around) {
  return !around || llvm::all_of(loads, [&](LoadPair pair) {
    return around->contains(pair.first->getBlock()) && around->contains(pair.second->getBlock());
  });
}

/// Adds the operations on the paths from writers, and from loads of values that must not change, to the wait, in one
/// iteration of the loop around all of them. Returns false if there is a cycle that is not a loop, or if a load is
/// elsewhere.
bool SetFinder::addBetween(RequestSet &set, ArrayRef<Operation *> writers, CFGLoop *around) {
  if (!areIn(set.loads, around))
    return false;
  SmallVector<Operation *> origins(writers);
  for (LoadPair pair : set.loads)
    origins.append({pair.first, pair.second});
  Block *home = set.wait->getBlock(), *stop = around ? around->getHeader() : nullptr;
  // Blocks that control enters from above.
  llvm::SmallSetVector<Block *, 16> entered;
  llvm::MapVector<Block *, Operation *> first;
  for (Operation *origin : origins) {
    Block *block = origin->getBlock();
    Operation *&known = first[block];
    if (!known || origin->isBeforeInBlock(known))
      known = origin;
    if (block == home)
      continue;
    SmallVector<Block *> next(block->getSuccessors());
    auto after = findReachable<Block>(next, [&](Block *reached) { return reached == stop; });
    if (after.contains(block) && loops.getLoopFor(block) == around)
      return false;
    entered.insert_range(after);
  }
  // If the wait is in a loop of its own, another iteration follows it.
  Operation *end = loops.getLoopFor(home) == around ? set.wait : nullptr;
  auto add = [&](Block *block, Operation *from) {
    for (Operation *op = from; op && op != end; op = op->getNextNode())
      set.between.push_back(op);
  };
  for (Block *block : entered)
    if (block == home || findReachable(block, stop).contains(home))
      add(block, &block->front());
  for (auto [block, op] : first)
    if (!entered.contains(block))
      add(block, op);
  if (end)
    set.between.push_back(end);
  return true;
}

/// Returns the set of a wait if each of its slots has been filled on each path to it.
std::optional<RequestSet> SetFinder::findFilled(Operation *wait, ArrayRef<Operation *> starts,
                                                ArrayRef<Operation *> waits) {
  std::optional<SlotRange> slots = getSlots(wait);
  if (!slots || !slots->first.isConstant())
    return std::nullopt;
  llvm::DenseMap<Operation *, SmallVector<LoadPair>> loads;
  SlotUses uses = findUses(getBasePointer(getRequestPointer(wait)), starts, waits, loads);
  RequestSet set{{}, wait, {}, {}, {}};
  CFGLoop *around = loops.getLoopFor(wait->getBlock());
  auto areSameHere = [&](Value a, Value b) {
    SmallVector<LoadPair> found;
    if (!areSame(a, b, found) || !areIn(found, around))
      return false;
    llvm::append_range(set.loads, found);
    return true;
  };
  // Only branches that are executed once in that iteration.
  auto findGuardOf = [&](Operation *op) {
    auto [branch, isTrue] = findGuard(op->getBlock());
    bool isOnce = branch && loops.getLoopFor(branch->getBlock()) == around;
    return isOnce ? std::pair(branch, isTrue) : std::pair(LLVM::CondBrOp(), false);
  };
  auto [guard, isTrue] = findGuardOf(wait);
  KnownCondition known{guard ? guard.getCondition() : Value(), isTrue};
  SmallVector<Operation *> writers;
  for (Operation *writer : FilledSlots(region, dominance, loops, uses, areSameHere).findWriters(wait, *slots, known)) {
    const SlotNumber &slot = uses.writers[writer];
    if (slots->isApartFrom({slot, slot + 1}))
      continue;
    // This is a cycle that is not a loop.
    if (writer->getBlock() == wait->getBlock() && !writer->isBeforeInBlock(wait))
      return std::nullopt;
    writers.push_back(writer);
    llvm::append_range(set.loads, loads[writer]);
    if (isa<LLVM::StoreOp>(writer)) {
      set.harmless.insert(writer);
      continue;
    }
    // Control must go from the start to the wait, or to the branch around it, whose condition equals that of an earlier
    // one.
    Block *gate = wait->getBlock();
    if (auto [before, wasTrue] = findGuardOf(writer);
        guard && before && before != guard && wasTrue == isTrue &&
        (before.getCondition() == guard.getCondition() || areSameHere(before.getCondition(), guard.getCondition())))
      gate = guard->getBlock();
    if (writer->getBlock() != gate &&
        !isAlwaysReached(SmallVector<Block *>(writer->getBlock()->getSuccessors()), gate, around))
      return std::nullopt;
    set.starts.push_back(writer);
  }
  for (const auto &[writer, slot] : uses.writers)
    if (slots->isApartFrom({slot, slot + 1}))
      set.harmless.insert(writer);
  for (const auto &[other, range] : uses.waits)
    if (range && slots->isApartFrom(*range))
      set.harmless.insert(other);
  if (set.starts.empty())
    return std::nullopt;
  // Slots of the array can be compared only as long as its address does not change.
  llvm::SmallPtrSet<Operation *, 4> compared;
  for (std::optional<size_t> known; known != set.loads.size();) {
    known = set.loads.size();
    set.between.clear();
    if (!addBetween(set, writers, around))
      return std::nullopt;
    for (Operation *op : set.between)
      if (set.harmless.contains(op) && compared.insert(op).second) {
        if (areIn(loads[op], around))
          llvm::append_range(set.loads, loads[op]);
        else
          set.harmless.erase(op);
      }
  }
  return set;
}

std::vector<RequestSet> SetFinder::find(FunctionOpInterface function, const RequestFlow &flow) {
  SmallVector<Operation *> starts, waits;
  SmallVector<RequestLoop> startLoops, waitLoops;
  function.walk([&](MPIOpInterface op) {
    bool isWait = isWaitInMemory(op) && !isConditionalWait(op);
    Matching::Kind kind = op.getMatching().kind;
    bool isMessage = kind == Matching::Kind::Send || kind == Matching::Kind::Receive;
    if (!(isWait || (isStartInMemory(op) && isMessage)) || op->getParentRegion() != &region ||
        flow.whyNotFollowed(op).empty())
      return;
    (isWait ? waits : starts).push_back(op);
    if (std::optional<RequestLoop> loop = matchLoop(op))
      (isWait ? waitLoops : startLoops).push_back(*loop);
  });
  std::vector<RequestSet> sets;
  auto add = [&](std::optional<RequestSet> set) {
    auto isTaken = [&](const RequestSet &other) {
      return other.wait == set->wait ||
             llvm::any_of(set->starts, [&](Operation *start) { return llvm::is_contained(other.starts, start); });
    };
    if (set && llvm::none_of(sets, isTaken))
      sets.push_back(std::move(*set));
  };
  for (const RequestLoop &wait : waitLoops)
    for (const RequestLoop &start : startLoops)
      add(matchSet(start, wait));
  if (waits.size() * (starts.size() + waits.size() + region.getBlocks().size()) <= kMostFillWork)
    for (Operation *wait : waits)
      add(findFilled(wait, starts, waits));
  return sets;
}
