//===- MergeUselessSplits.cpp - Undo splits that overlap nothing -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Interval.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

/// The next operation of the block that does more than compute a value.
static Operation *nextEffectful(Operation *op) {
  do
    op = op->getNextNode();
  while (op && isPure(op));
  return op;
}

/// Parameters and outcomes of a blocking operation from those of its start and its wait.
static void collect(MPIOpInterface start, WaitOp wait, SmallVectorImpl<NamedParam> &params,
                    SmallVectorImpl<StringRef> &outcomes) {
  for (auto [index, name] : llvm::enumerate(start.getParamNames()))
    if (!start.getParamOperands(index).empty())
      params.emplace_back(name, ValueRange(start.getParamOperands(index)));
  if (wait.getStatus())
    params.emplace_back("status", wait.getStatus());
  if (wait.getStatusResult())
    outcomes.push_back("status");
  if (wait.getError())
    outcomes.push_back("error");
}

static void replaceOutcomes(MPIOpInterface blocking, WaitOp wait) {
  if (wait.getStatusResult())
    wait.getStatusResult().replaceAllUsesWith(blocking.getOutcome("status"));
  if (wait.getError())
    wait.getError().replaceAllUsesWith(blocking.getOutcome("error"));
}

/// A blocking operation stays where the wait was: what it uses is defined by then.
static bool merge(Interval interval) {
  MPIOpInterface start = interval.start;
  WaitOp wait = interval.wait;
  Value error = start.getOutcome("error");
  if (nextEffectful(start) != wait || !interval.cleanups.empty() || (error && !error.use_empty()) ||
      start->hasAttr("comm.from"))
    return false;
  SmallVector<NamedParam> params;
  SmallVector<StringRef> outcomes;
  collect(start, wait, params, outcomes);
  OpBuilder builder(wait);
  MPIOpInterface blocking =
      createMPIOp(builder, start.getLoc(), start.getMPIFunctionName(), Mode::blocking, params, outcomes);
  for (NamedAttribute attribute : start->getDiscardableAttrs())
    blocking->setDiscardableAttr(attribute.getName(), attribute.getValue());
  replaceOutcomes(blocking, wait);
  wait.erase();
  start.erase();
  return true;
}

/// The two halves of a sendrecv that stayed together: receive, send, and both waits.
static bool mergeSendReceive(Interval receive) {
  auto send = dyn_cast_or_null<MPIOpInterface>(nextEffectful(receive.start));
  if (!send || !send->hasAttr("comm.from") || send->getAttr("comm.from") != receive.start->getAttr("comm.from"))
    return false;
  std::optional<Interval> sendInterval = getInterval(send);
  if (!sendInterval)
    return false;
  Operation *first = nextEffectful(send), *second = first ? nextEffectful(first) : nullptr;
  bool together = (first == sendInterval->wait && second == receive.wait) ||
                  (first == receive.wait && second == sendInterval->wait);
  bool sameCommunicator = receive.start.getCommunicator() == send.getCommunicator();
  if (!together || !sameCommunicator)
    return false;
  SmallVector<NamedParam> params;
  auto take = [&](MPIOpInterface half, StringRef whole, StringRef name) {
    if (Value value = half.getParam(name))
      params.emplace_back(whole, value);
  };
  take(send, "sendbuf", "buf");
  take(send, "sendcount", "count");
  take(send, "sendtype", "datatype");
  take(send, "dest", "dest");
  take(send, "sendtag", "tag");
  take(receive.start, "recvbuf", "buf");
  take(receive.start, "recvcount", "count");
  take(receive.start, "recvtype", "datatype");
  take(receive.start, "source", "source");
  take(receive.start, "recvtag", "tag");
  take(receive.start, "comm", "comm");
  SmallVector<StringRef> outcomes;
  if (receive.wait.getStatus())
    params.emplace_back("status", receive.wait.getStatus());
  if (receive.wait.getStatusResult())
    outcomes.push_back("status");
  if (receive.wait.getError())
    outcomes.push_back("error");
  OpBuilder builder(second);
  MPIOpInterface whole = createMPIOp(builder, send.getLoc(), "MPI_Sendrecv", Mode::blocking, params, outcomes);
  replaceOutcomes(whole, receive.wait);
  receive.wait.erase();
  sendInterval->wait.erase();
  receive.start.erase();
  send.erase();
  return true;
}

void MergeUselessSplits::runOnOperation() {
  SmallVector<Operation *> starts;
  getOperation().walk([&](MPIOpInterface op) {
    if (op.isAsync())
      starts.push_back(op);
  });
  // A send that was merged into a sendrecv is gone when its turn comes.
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (Operation *op : starts) {
    if (gone.contains(op))
      continue;
    std::optional<Interval> interval = getInterval(op);
    if (!interval)
      continue;
    Operation *next = nextEffectful(op);
    if (op->hasAttr("comm.from") && getDisplayName(interval->start) == "MPI_Sendrecv") {
      if (mergeSendReceive(*interval)) {
        gone.insert(next);
        ++numMerged;
      }
      continue;
    }
    if (merge(*interval))
      ++numMerged;
  }
}
