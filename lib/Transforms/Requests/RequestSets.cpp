//===- RequestSets.cpp - Requests in memory of others ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestSets.h"

#include "FilledSlots.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/MPI/Sums.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

using namespace mlir;
using namespace comm;

/// More starts and blocks together, for each wait, are not looked at.
static constexpr size_t kMostFillWork = 50000;

namespace {
/// `for (i = 0; i < count; ++i) op(&requests[i])`: the one loop around an operation, which runs in each iteration.
struct RequestLoop {
  Operation *op;
  CFGLoop *loop = nullptr;
  Value count;
  /// Where the requests are.
  Value base;
};

/// Two loads of one address, of which the values are the same if nothing writes there in between.
using LoadPair = std::pair<LLVM::LoadOp, LLVM::LoadOp>;

struct RequestSet {
  SmallVector<Operation *, 4> starts;
  Operation *wait;
  /// Stores of null handles, and waits for other slots and starts in them.
  llvm::SmallPtrSet<Operation *, 4> harmless;
  /// What runs from the first start to the last wait.
  SmallVector<Operation *, 0> between;
  SmallVector<LoadPair> loads;
};

/// The sets of one function.
class SetFinder {
public:
  SetFinder(Region &region, const mpi::ABI &abi, uint64_t handleSize)
      : region(region), abi(abi), handleSize(handleSize), layout(DataLayout::closest(region.getParentOp())),
        dominance(region.getParentOp()), loops(dominance.getDomTree(&region)) {}

  /// As far as control flow and numbers tell: what is in between may still touch the requests.
  std::vector<RequestSet> find(FunctionOpInterface function, const RequestFlow &flow);

private:
  std::optional<RequestLoop> matchLoop(Operation *op);
  std::optional<RequestSet> matchSet(const RequestLoop &starts, const RequestLoop &waits);
  Block *findGate(const RequestLoop &starts, const RequestLoop &waits);
  std::optional<SlotRange> getSlots(Operation *op);
  bool isNullHandle(Value value);
  SlotUses findUses(Value base, ArrayRef<Operation *> starts, ArrayRef<Operation *> waits,
                    llvm::DenseMap<Operation *, SmallVector<LoadPair>> &loads);
  std::optional<RequestSet> findFilled(Operation *wait, ArrayRef<Operation *> starts, ArrayRef<Operation *> waits);
  bool addBetween(RequestSet &set, ArrayRef<Operation *> writers, CFGLoop *around);
  bool areSame(Value a, Value b, SmallVectorImpl<LoadPair> &loads, unsigned depth = 0);

  Region &region;
  const mpi::ABI &abi;
  uint64_t handleSize;
  DataLayout layout;
  DominanceInfo dominance;
  CFGLoopInfo loops;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What the edge from that block hands over.
static Value getPassed(Block *from, BlockArgument argument) {
  auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
  if (!branch)
    return {};
  for (auto [i, successor] : llvm::enumerate(from->getSuccessors()))
    if (successor == argument.getOwner())
      return branch.getSuccessorOperands(i)[argument.getArgNumber()];
  return {};
}

std::optional<RequestLoop> SetFinder::matchLoop(Operation *op) {
  Value pointer = cast<MPIOpInterface>(op).getParam("request");
  RequestLoop result{op, loops.getLoopFor(op->getBlock()), {}, {}};
  if (!pointer || !result.loop)
    return std::nullopt;
  Block *header = result.loop->getHeader(), *latch = result.loop->getLoopLatch();
  Block *entry = result.loop->getLoopPredecessor();
  if (!latch || !entry || result.loop->getExitingBlock() != latch || !dominance.dominates(op->getBlock(), latch))
    return std::nullopt;
  auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
  if (!gep || gep.getIndices().size() != 1 || layout.getTypeSize(gep.getElemType()).getFixedValue() != handleSize)
    return std::nullopt;
  auto dynamic = dyn_cast<Value>(*gep.getIndices().begin());
  LinearIndex index = dynamic ? getLinearIndex(dynamic) : LinearIndex();
  auto counter = dyn_cast_or_null<BlockArgument>(index.symbol);
  if (!counter || index.constant != 0 || counter.getOwner() != header)
    return std::nullopt;
  Value first = getPassed(entry, counter), next = getPassed(latch, counter);
  if (!first || !next || getConstantInteger(first) != 0)
    return std::nullopt;
  LinearIndex step = getLinearIndex(next);
  auto branch = dyn_cast<LLVM::CondBrOp>(latch->getTerminator());
  auto compare = branch ? branch.getCondition().getDefiningOp<LLVM::ICmpOp>() : LLVM::ICmpOp();
  if (step.symbol != counter || step.constant != 1 || !compare || branch.getTrueDest() == branch.getFalseDest())
    return std::nullopt;
  // It leaves where the next number is the count.
  bool leavesIfTrue = !result.loop->contains(branch.getTrueDest());
  auto wanted = leavesIfTrue ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne;
  if (compare.getPredicate() != wanted || compare.getLhs() != next)
    return std::nullopt;
  result.count = compare.getRhs();
  result.base = gep.getBase();
  return result;
}

/// Whether both are the same number whenever one is computed soon after the other: the same value, or the same
/// arithmetic. Loads of one address are noted.
bool SetFinder::areSame(Value a, Value b, SmallVectorImpl<LoadPair> &loads, unsigned depth) {
  constexpr unsigned most = 8;
  if (a == b)
    return true;
  // What was loaded on each way.
  if (isa<BlockArgument>(b) && !isa<BlockArgument>(a))
    std::swap(a, b);
  if (auto argument = dyn_cast<BlockArgument>(a);
      argument && !argument.getOwner()->isEntryBlock() && b.getDefiningOp<LLVM::LoadOp>() && depth < most) {
    Block *block = argument.getOwner();
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      Value passed = branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()] : Value();
      if (!passed || !areSame(passed, b, loads, depth + 1))
        return false;
    }
    return true;
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

/// The branch that decides whether control comes to the block, past blocks that have one way in and one way out.
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

/// Where control comes to the waits, if only it came past the starts: under the same condition, or always.
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
  // The branch is asked as often as the loops are come to, and so is the other one.
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

/// Whether control that leaves these blocks comes to the gate before the function ends, or the next iteration of the
/// loop around begins.
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
  // What control may come to without beginning the next iteration of the loop around.
  auto after = findReachable<Block>(exits, [&](Block *block) { return block == stop; });
  // A cycle that is no loop.
  if (after.contains(starts.loop->getHeader()) || !after.contains(waits.loop->getHeader()))
    return std::nullopt;
  if (!addBetween(set, {starts.op}, around))
    return std::nullopt;
  return set;
}

//===----------------------------------------------------------------------===//
// Slot by slot
//===----------------------------------------------------------------------===//

/// The slots that a start writes or a wait looks at, if the first one is a constant or a sum of one and a value.
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
  std::optional<mpi::HandleSpelling> spelling = getSpelling(value);
  return spelling && abi.nameOf(*spelling, mpi::HandleClass::Request) == "MPI_REQUEST_NULL";
}

/// All that writes slots of the array, or waits for them; `loads` are those that must not change for that.
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

/// Whether all of the loads are in one iteration of the loop, which may be null.
static bool areIn(ArrayRef<LoadPair> loads, CFGLoop *around) {
  return !around || llvm::all_of(loads, [&](LoadPair pair) {
    return around->contains(pair.first->getBlock()) && around->contains(pair.second->getBlock());
  });
}

/// Adds the operations on the ways from writers, and from loads of what must not change, to the wait, in one iteration
/// of the loop around all of them. False if there is a cycle that is no loop, or a load is elsewhere.
bool SetFinder::addBetween(RequestSet &set, ArrayRef<Operation *> writers, CFGLoop *around) {
  if (!areIn(set.loads, around))
    return false;
  SmallVector<Operation *> origins(writers);
  for (LoadPair pair : set.loads)
    origins.append({pair.first, pair.second});
  Block *home = set.wait->getBlock(), *stop = around ? around->getHeader() : nullptr;
  // Where control comes in from above.
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
  // Of a wait in a loop of its own, another iteration comes after it.
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

/// What a wait completes of which each slot has been filled on each path to it.
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
  // Branches that are asked once in that iteration.
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
    // In a cycle that is no loop.
    if (writer->getBlock() == wait->getBlock() && !writer->isBeforeInBlock(wait))
      return std::nullopt;
    writers.push_back(writer);
    llvm::append_range(set.loads, loads[writer]);
    if (isa<LLVM::StoreOp>(writer)) {
      set.harmless.insert(writer);
      continue;
    }
    // Control comes from the start to the wait, or to the branch around it, which has the same answer as one before.
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
  // Other slots of the array are others only while its address stays what it was.
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
    bool isWait = isWaitInMemory(op) && !isa<WaitIfOp>(op);
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

//===----------------------------------------------------------------------===//
// What is in between
//===----------------------------------------------------------------------===//

/// Whether it is a message of numbers, which have a type of their own (MPI-4, 3.3.1), or touches no memory: no requests
/// are sent, or received. Those that it starts or completes may be left out.
static bool isMessageOfNumbers(MPIOpInterface op, bool ignoresRequests = false) {
  CommAccesses all = getArgumentAccesses(op);
  return !op.isOneSided() && !all.isUnknown && llvm::all_of(all.accesses, [&](const BufferAccess &access) {
    // A status over a request that is waited for later would destroy it.
    if (ignoresRequests && llvm::is_contained({mpi::Role::Request, mpi::Role::Status}, access.param->role))
      return true;
    StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
    return access.param->role == mpi::Role::Buffer && llvm::is_contained(mpi::getFloatingDatatypes(), datatype);
  });
}

/// The messages that a wait of another set completes are such ones.
static bool completesNumbers(Operation *wait, ArrayRef<RequestSet> sets) {
  auto set = llvm::find_if(sets, [&](const RequestSet &other) { return other.wait == wait; });
  return set != sets.end() && llvm::all_of(set->starts, [](Operation *start) {
           return isMessageOfNumbers(cast<MPIOpInterface>(start), /*ignoresRequests=*/true);
         });
}

/// Whether what the operation does may put other requests into the places, take some out, or show them to somebody; or
/// change where they are.
static bool mayTouch(const RequestSet &set, Operation *op, ArrayRef<RequestSet> sets, MemoryOracle &oracle) {
  // (The life of a variable does not begin or end with requests in it that are waited for.)
  bool isOwn =
      op == set.wait || llvm::is_contained(set.starts, op) || isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op);
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  bool isHarmless = isOwn || set.harmless.contains(op);
  if (isHarmless && mpiOp && !isOwn)
    isHarmless =
        isMessageOfNumbers(mpiOp, /*ignoresRequests=*/true) && (!isWaitInMemory(op) || completesNumbers(op, sets));
  Behavior behavior = oracle.getBehavior(op);
  if (behavior.synchronizes || behavior.communicates)
    return true;
  if (!behavior.touchesMemory())
    return false;
  if (!isHarmless && (mpiOp ? !isMessageOfNumbers(mpiOp)
                            : oracle.mayConflictAtArguments(cast<MPIOpInterface>(set.wait), op,
                                                            /*acrossIterations=*/true)))
    return true;
  return behavior.writes && llvm::any_of(set.loads, [&](const LoadPair &pair) {
           return oracle.mayConflictInOrder(op, pair.first, /*acrossIterations=*/true) ||
                  oracle.mayConflictInOrder(op, pair.second, /*acrossIterations=*/true);
         });
}

static bool isUntouched(const RequestSet &set, ArrayRef<RequestSet> sets, MemoryOracle &oracle) {
  return llvm::none_of(set.between, [&](Operation *root) {
    return root
        ->walk([&](Operation *op) {
          return mayTouch(set, op, sets, oracle) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

static void label(const RequestSet &set, std::optional<int64_t> number) {
  SmallVector<Operation *, 4> members(set.starts);
  members.push_back(set.wait);
  for (Operation *op : members)
    if (number)
      op->setDiscardableAttr(kRequestSetAttrName, Builder(op->getContext()).getI64IntegerAttr(*number));
    else
      op->removeDiscardableAttr(kRequestSetAttrName);
  // What the oracle goes by.
  if (number)
    set.wait->setDiscardableAttr(kFollowedAttrName, UnitAttr::get(set.wait->getContext()));
  else
    set.wait->removeDiscardableAttr(kFollowedAttrName);
}

unsigned comm::markRequestSets(ModuleOp module, const mpi::ABI &abi, uint64_t handleSize) {
  std::vector<RequestSet> sets;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal() || function.getBody().hasOneBlock())
      continue;
    RequestFlow flow(function);
    auto isOpen = [&](MPIOpInterface op) { return isWaitInMemory(op) && !flow.whyNotFollowed(op).empty(); };
    bool isWorthIt =
        function->walk([&](MPIOpInterface op) { return isOpen(op) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
    if (isWorthIt)
      llvm::append_range(sets, SetFinder(function.getBody(), abi, handleSize).find(function, flow));
  }
  // What a wait does is known if all of them are what they seem to be: then the first one to complete something else
  // would need one before it that does. Where one is not, the others are looked at again.
  for (bool changed = true; changed && !sets.empty();) {
    for (auto [i, set] : llvm::enumerate(sets))
      label(set, i + 1);
    llvm::SmallSetVector<Operation *, 4> functions;
    for (const RequestSet &set : sets)
      functions.insert(set.wait->getParentOfType<LLVM::LLVMFuncOp>());
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module, functions.getArrayRef());
    size_t before = sets.size();
    std::vector<RequestSet> right;
    for (const RequestSet &set : sets)
      if (isUntouched(set, sets, *oracle))
        right.push_back(set);
      else
        label(set, std::nullopt);
    sets = std::move(right);
    changed = sets.size() != before;
  }
  return sets.size();
}
