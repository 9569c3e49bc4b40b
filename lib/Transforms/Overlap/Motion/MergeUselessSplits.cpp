//===- MergeUselessSplits.cpp - Undo splits that overlap nothing -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/LeftWaits.h"
#include "Motion/SpareBuffer.h"

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_COMMMERGEUSELESSSPLITS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct MergeUselessSplits : public comm::impl::CommMergeUselessSplitsBase<MergeUselessSplits> {
  using CommMergeUselessSplitsBase::CommMergeUselessSplitsBase;
  void runOnOperation() final;
};
} // namespace

/// Returns the uses of a spare buffer, if its copies are right before and after the two halves.
static std::optional<SpareUses> findAdjacentSpare(MPIOpInterface receive, Operation *last) {
  std::optional<SpareUses> uses = findSpareUses(receive);
  bool isAdjacent = uses && getNextEffectful(uses->fill) == receive.getOperation() &&
                    getNextEffectful(last) == uses->copyBack && getNextEffectful(uses->copyBack) == uses->free;
  return isAdjacent ? uses : std::nullopt;
}

/// Merges the two halves of a sendrecv that stayed together: receive, send, and both waits.
static bool mergeSendReceive(IRRewriter &rewriter, Interval receive) {
  auto send = dyn_cast_or_null<MPIOpInterface>(getNextEffectful(receive.start));
  if (!send || !send->hasAttr(kOriginAttrName) ||
      send->getAttr(kOriginAttrName) != receive.start->getAttr(kOriginAttrName))
    return false;
  std::optional<Interval> sendInterval = getInterval(send);
  if (!sendInterval || sendInterval->guard || receive.guard)
    return false;
  Operation *first = getNextEffectful(send), *second = first ? getNextEffectful(first) : nullptr;
  bool together = (first == sendInterval->wait && second == receive.wait) ||
                  (first == receive.wait && second == sendInterval->wait);
  bool sameCommunicator = receive.start.getCommunicator() == send.getCommunicator();
  if (!together || !sameCommunicator)
    return false;
  SmallVector<NamedParam> params;
  // Parameters of both halves are taken from the send.
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(params, [&](const NamedParam &param) { return param.name == name; });
  };
  auto take = [&](MPIOpInterface half, ArrayRef<HalfParam> names) {
    for (auto [name, whole] : names)
      if (Value value = half.getParam(name); value && !isTaken(whole))
        params.emplace_back(whole, value);
  };
  std::optional<SpareUses> spare = findAdjacentSpare(receive.start, second);
  take(send, getSendParams(spare.has_value()));
  take(receive.start, getReceiveParams(spare.has_value()));
  SmallVector<StringRef> outcomes;
  getWaitOutcomes(receive.wait, params, outcomes);
  rewriter.setInsertionPoint(second);
  MPIOpInterface whole = createMPIOp(rewriter, send.getLoc(),
                                     spare ? SendrecvReplaceOp::getMPIFunctionName() : SendrecvOp::getMPIFunctionName(),
                                     Mode::blocking, params, outcomes);
  replaceWaitOutcomes(rewriter, receive.wait, whole);
  for (Operation *op : {receive.wait.getOperation(), sendInterval->wait.getOperation(), receive.start.getOperation(),
                        send.getOperation()})
    rewriter.eraseOp(op);
  if (spare) {
    Operation *allocation = spare->allocation;
    for (Operation *op : {spare->fill, spare->copyBack, spare->free, allocation})
      rewriter.eraseOp(op);
  }
  return true;
}

/// Returns true if the operation is, or may be, one of the two operations into which a pass split a blocking one.
static bool isOfSplit(Operation *op) {
  if (isLeft(op))
    return true;
  auto start = dyn_cast<MPIOpInterface>(op);
  return start && start.isAsync() && !mayBeProgramsStart(start);
}

/// Unmarks a function in which all splits were undone: other changes of passes only served the splits.
static void unmarkMerged(FunctionOpInterface function) {
  if (!function->removeDiscardableAttr(kOnlySplitAttrName))
    return;
  WalkResult found =
      function->walk([](Operation *op) { return isOfSplit(op) ? WalkResult::interrupt() : WalkResult::advance(); });
  if (!found.wasInterrupted())
    function->removeDiscardableAttr(kChangedAttrName);
}

void MergeUselessSplits::runOnOperation() {
  SmallVector<Operation *> starts;
  getOperation()->walk([&](MPIOpInterface op) {
    if (op.isAsync())
      starts.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  // A send that was merged into a sendrecv no longer exists when its turn comes.
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (Operation *op : starts) {
    if (gone.contains(op))
      continue;
    std::optional<Interval> interval = getInterval(op);
    if (!interval)
      continue;
    Operation *next = getNextEffectful(op);
    if (isHalf(op)) {
      if (mergeSendReceive(rewriter, *interval)) {
        gone.insert(next);
        ++numMerged;
      }
      continue;
    }
    if (!op->hasAttr(kOriginAttrName) && interval->cleanups.empty() && !interval->guard &&
        succeeded(mergeStartAndWait(rewriter, interval->start, interval->wait)))
      ++numMerged;
  }
  getOperation()->walk(unmarkMerged);
}
