//===- ReturnWaits.cpp - Waits that left a branch for nothing --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Motion/LeftWaits.h"

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace comm {
#define GEN_PASS_DEF_COMMRETURNWAITS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct ReturnWaits : public comm::impl::CommReturnWaitsBase<ReturnWaits> {
  using CommReturnWaitsBase::CommReturnWaitsBase;
  void runOnOperation() final;
};

/// Checks what is between a start and its wait.
class Between {
public:
  Between(MPIOpInterface start, ArrayRef<WaitOp> useless) : start(start), useless(useless) {}

  /// Returns true if the wait of the start may move back before the unit without loss, because the unit contains only
  /// values, later starts, and their waits.
  bool isNothing(const Unit &unit) {
    bool isOther = unit.isLoop;
    unit.walk([&](Operation *op) { isOther |= !isNothing(op); });
    return !isOther;
  }

private:
  bool isNothing(Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op) || isQuestion(op))
      return true;
    if (auto wait = dyn_cast<WaitOp>(op)) {
      Operation *other = getOnlyStart(wait);
      return other && (starts.contains(other) || areHalvesOfOneCall(other, start) || llvm::is_contained(useless, wait));
    }
    // A conditional early wait moves with the late wait.
    if (auto guard = dyn_cast<WaitIfOp>(op))
      return isLeft(guard);
    auto other = dyn_cast<MPIOpInterface>(op);
    if (!other || !other.isAsync() || other.isOneSided())
      return false;
    starts.insert(op);
    return true;
  }
  MPIOpInterface start;
  /// These move as well.
  ArrayRef<WaitOp> useless;
  llvm::DenseSet<Operation *> starts;
};
} // namespace

/// Returns true if nothing between the start and its wait overlaps the communication.
static bool isUseless(const ScopeTree &scopes, MPIOpInterface start, WaitOp wait, ArrayRef<WaitOp> useless) {
  const Chain *chain = scopes.getChainOf(wait);
  int end = chain ? chain->findUnit(wait) : -1, begin = chain ? chain->findUnit(start) : -1;
  if (begin < 0 || begin >= end || !chain->getUnits()[begin].isPiece())
    return false;
  ArrayRef<Block *> interior = chain->getUnits()[begin].interior;
  // Go from the start outwards: the innermost scopes come last.
  Between between(start, useless);
  for (const std::unique_ptr<Chain> &inner : llvm::reverse(scopes.getChains())) {
    int unit = llvm::is_contained(interior, inner->getBlocks().front()) ? inner->findUnit(start) : -1;
    if (unit < 0)
      continue;
    for (const Unit &after : inner->getUnits().drop_front(unit + 1))
      if (!between.isNothing(after))
        return false;
  }
  return llvm::all_of(chain->getUnits().slice(begin + 1, end - begin - 1),
                      [&](const Unit &unit) { return between.isNothing(unit); });
}

/// Returns the place of the call's wait: after both halves of an MPI_Sendrecv.
static Operation *findPlace(MPIOpInterface start) {
  Operation *next = start->getNextNode();
  for (Operation *op = next; op; op = op->getNextNode()) {
    if (auto other = dyn_cast<MPIOpInterface>(op); other && other.isAsync() && areHalvesOfOneCall(other, start))
      return op->getNextNode();
    if (!isMemoryEffectFree(op) && !isQuestion(op))
      break;
  }
  return next;
}

/// Erases the early waits for the request, and the code of their questions.
static void eraseGuards(Value slot) {
  SmallVector<Operation *> work;
  for (Operation *user : slot.getUsers())
    if (isa<WaitIfOp>(user))
      work.push_back(user);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    SmallVector<Operation *> asked;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp(); definition && !llvm::is_contained(asked, definition))
        asked.push_back(definition);
    op->erase();
    for (Operation *definition : asked)
      if (definition->use_empty() && (isMemoryEffectFree(definition) || isQuestion(definition)))
        work.push_back(definition);
  }
}

void ReturnWaits::runOnOperation() {
  getOperation()->walk([&](LLVM::LLVMFuncOp function) {
    SmallVector<WaitOp> waits;
    function.walk([&](WaitOp wait) {
      // If the start is the program's own, its wait may follow other starts that another process needs.
      if (MPIOpInterface start = isLeft(wait) ? getOnlyStart(wait) : nullptr;
          start && !start->hasAttr(kProgramsIntervalAttrName))
        waits.push_back(wait);
    });
    if (waits.empty())
      return;
    SmallVector<WaitOp> useless;
    {
      ScopeTree scopes(function.getBody());
      for (WaitOp wait : waits)
        if (MPIOpInterface start = getOnlyStart(wait); start && isUseless(scopes, start, wait, useless))
          useless.push_back(wait);
    }
    for (WaitOp wait : useless) {
      MPIOpInterface start = getOnlyStart(wait);
      Value slot = wait.getRequest();
      OpBuilder builder(start);
      MPIOpInterface returned = cloneStart(builder, start, nullptr);
      builder.setInsertionPoint(findPlace(start));
      cloneWait(builder, wait, returned.getOutcome("request"));
      wait.erase();
      start.erase();
      eraseGuards(slot);
      if (slot.use_empty())
        slot.getDefiningOp()->erase();
    }
    numReturned += useless.size();
  });
}
