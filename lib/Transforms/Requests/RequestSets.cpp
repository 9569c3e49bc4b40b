//===- RequestSets.cpp - Requests in memory of others ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestSets.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
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
  RequestLoop starts, waits;
  /// Blocks that run from the first start to the last wait.
  llvm::SmallSetVector<Block *, 16> between;
  SmallVector<LoadPair> loads;
};

/// The sets of one function.
class SetFinder {
public:
  SetFinder(Region &region, uint64_t handleSize)
      : handleSize(handleSize), layout(DataLayout::closest(region.getParentOp())), dominance(region.getParentOp()),
        loops(dominance.getDomTree(&region)) {}

  /// As far as control flow and numbers tell: what is in between may still touch the requests.
  std::vector<RequestSet> find(FunctionOpInterface function, const RequestFlow &flow);

private:
  std::optional<RequestLoop> matchLoop(Operation *op);
  std::optional<RequestSet> matchSet(const RequestLoop &starts, const RequestLoop &waits);
  bool isAlwaysBefore(const RequestLoop &starts, const RequestLoop &waits);
  bool areSame(Value a, Value b, SmallVectorImpl<LoadPair> &loads, unsigned depth = 0);

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

/// Whether control comes to the waits only if it came past the starts, which it does under the same condition.
bool SetFinder::isAlwaysBefore(const RequestLoop &starts, const RequestLoop &waits) {
  Block *header = waits.loop->getHeader();
  if (dominance.dominates(starts.loop->getHeader(), header))
    return true;
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
    return false;
  for (Operation *user : guard.getCondition().getUsers()) {
    auto other = dyn_cast<LLVM::CondBrOp>(user);
    if (!other || other == guard || loops.getLoopFor(other->getBlock()) != around ||
        other.getTrueDest() == other.getFalseDest() || !dominance.dominates(guard->getBlock(), other->getBlock()))
      continue;
    Block *target = isTrue ? other.getTrueDest() : other.getFalseDest();
    if (target->getSinglePredecessor() == other->getBlock() && dominance.dominates(target, header))
      return true;
  }
  return false;
}

std::optional<RequestSet> SetFinder::matchSet(const RequestLoop &starts, const RequestLoop &waits) {
  RequestSet set{starts, waits, {}, {}};
  CFGLoop *around = starts.loop->getParentLoop();
  if (starts.loop == waits.loop || waits.loop->getParentLoop() != around || !isAlwaysBefore(starts, waits) ||
      !areSame(starts.count, waits.count, set.loads) || !areSame(starts.base, waits.base, set.loads))
    return std::nullopt;
  Block *stop = around ? around->getHeader() : nullptr;
  SmallVector<Block *> exits;
  starts.loop->getExitBlocks(exits);
  // What control may come to without beginning the next iteration of the loop around.
  auto after = findReachable<Block>(exits, [&](Block *block) { return block == stop; });
  // A cycle that is no loop.
  if (after.contains(starts.loop->getHeader()) || !after.contains(waits.loop->getHeader()))
    return std::nullopt;
  for (Block *block : starts.loop->getBlocks())
    set.between.insert(block);
  for (Block *block : after)
    if (findReachable(block, stop).contains(waits.loop->getHeader()))
      set.between.insert(block);
  return set;
}

std::vector<RequestSet> SetFinder::find(FunctionOpInterface function, const RequestFlow &flow) {
  SmallVector<RequestLoop> starts, waits;
  function.walk([&](MPIOpInterface op) {
    bool isWait = isWaitInMemory(op);
    if ((!isWait && !isStartInMemory(op)) || op->getParentRegion() != &function.getFunctionBody() ||
        flow.whyNotFollowed(op).empty())
      return;
    if (std::optional<RequestLoop> loop = matchLoop(op))
      (isWait ? waits : starts).push_back(*loop);
  });
  std::vector<RequestSet> sets;
  for (const RequestLoop &wait : waits)
    for (const RequestLoop &start : starts) {
      Matching matching = cast<MPIOpInterface>(start.op).getMatching();
      bool isMessage = matching.kind == Matching::Kind::Send || matching.kind == Matching::Kind::Receive;
      auto isTaken = [&](const RequestSet &set) { return set.starts.op == start.op || set.waits.op == wait.op; };
      if (!isMessage || llvm::any_of(sets, isTaken))
        continue;
      if (std::optional<RequestSet> set = matchSet(start, wait))
        sets.push_back(std::move(*set));
    }
  return sets;
}

//===----------------------------------------------------------------------===//
// What is in between
//===----------------------------------------------------------------------===//

/// Whether it is a message of numbers, which have a type of their own (MPI-4, 3.3.1), or touches no memory: no requests
/// are sent, or received.
static bool isMessageOfNumbers(MPIOpInterface op) {
  CommAccesses all = getArgumentAccesses(op);
  return !op.isOneSided() && !all.isUnknown && llvm::all_of(all.accesses, [](const BufferAccess &access) {
    StringRef datatype = access.datatype ? getConstantName(access.datatype) : "";
    return access.param->role == mpi::Role::Buffer && llvm::is_contained(mpi::getFloatingDatatypes(), datatype);
  });
}

/// Whether what the operation does may put other requests into the places, take some out, or show them to somebody; or
/// change where they are.
static bool mayTouch(const RequestSet &set, Operation *op, MemoryOracle &oracle) {
  Behavior behavior = oracle.getBehavior(op);
  if (behavior.synchronizes || behavior.communicates)
    return true;
  if (!behavior.touchesMemory())
    return false;
  // (The life of a variable does not begin or end with requests in it that are waited for.)
  bool isOwn = op == set.starts.op || op == set.waits.op || isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op);
  bool mayMeet = isa<MPIOpInterface>(op)
                     ? !isMessageOfNumbers(cast<MPIOpInterface>(op))
                     : oracle.mayConflictAtArguments(cast<MPIOpInterface>(set.waits.op), op, /*acrossIterations=*/true);
  if (!isOwn && mayMeet)
    return true;
  return behavior.writes && llvm::any_of(set.loads, [&](const LoadPair &pair) {
           return oracle.mayConflictInOrder(op, pair.first, /*acrossIterations=*/true) ||
                  oracle.mayConflictInOrder(op, pair.second, /*acrossIterations=*/true);
         });
}

static bool isUntouched(const RequestSet &set, MemoryOracle &oracle) {
  for (Block *block : set.between)
    for (Operation &root : *block)
      if (root.walk([&](Operation *op) {
                return mayTouch(set, op, oracle) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted())
        return false;
  return true;
}

static void label(const RequestSet &set, std::optional<int64_t> number) {
  for (Operation *op : {set.starts.op, set.waits.op})
    if (number)
      op->setDiscardableAttr(kRequestSetAttrName, Builder(op->getContext()).getI64IntegerAttr(*number));
    else
      op->removeDiscardableAttr(kRequestSetAttrName);
  // What the oracle goes by.
  if (number)
    set.waits.op->setDiscardableAttr(kFollowedAttrName, UnitAttr::get(set.waits.op->getContext()));
  else
    set.waits.op->removeDiscardableAttr(kFollowedAttrName);
}

unsigned comm::markRequestSets(ModuleOp module, uint64_t handleSize) {
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
      llvm::append_range(sets, SetFinder(function.getBody(), handleSize).find(function, flow));
  }
  // What a wait does is known if all of them are what they seem to be: then the first one to complete something else
  // would need one before it that does. Where one is not, the others are looked at again.
  for (bool changed = true; changed && !sets.empty();) {
    for (auto [i, set] : llvm::enumerate(sets))
      label(set, i + 1);
    std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module);
    size_t before = sets.size();
    llvm::erase_if(sets, [&](const RequestSet &set) {
      bool isWrong = !isUntouched(set, *oracle);
      if (isWrong)
        label(set, std::nullopt);
      return isWrong;
    });
    changed = sets.size() != before;
  }
  return sets.size();
}
