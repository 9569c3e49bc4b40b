//===- SplitBlocking.cpp - Make blocking operations a start and a wait -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Interval.h"

#include "Comm/Analysis/MemoryOracle.h"
#include "Comm/MPI/ABI.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace comm {
#define GEN_PASS_DEF_COMMSPLITBLOCKING
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct SplitBlocking : public comm::impl::CommSplitBlockingBase<SplitBlocking> {
  using CommSplitBlockingBase::CommSplitBlockingBase;
  void runOnOperation() final;

private:
  /// Why the operation must stay blocking; "" if it need not.
  StringRef whyNot(MPIOpInterface op) const;
  bool implementationHas(StringRef function) const;
};
} // namespace

bool SplitBlocking::implementationHas(StringRef function) const {
  if (const mpi::ABI *known = mpi::ABI::lookup(abi))
    return known->hasFunction(function);
  return llvm::all_of(mpi::ABI::all(), [&](const mpi::ABI &each) { return each.hasFunction(function); });
}

static bool isSendReceive(MPIOpInterface op) { return op.getMatching().kind == Matching::Kind::SendReceive; }

/// A sendrecv with two buffers is a send and a receive; with one it needs a copy of the buffer.
static bool isDecomposable(MPIOpInterface op) { return isSendReceive(op) && op.getParam("sendbuf"); }

StringRef SplitBlocking::whyNot(MPIOpInterface op) const {
  Value error = op.getOutcome("error");
  if (error && !error.use_empty())
    return "its error code is used right there";
  if (op.completesRemotely() && op.getAccesses().empty())
    return "it orders memory that no argument names";
  if (op.needsPostedReceive())
    return "a ready send is correct only where the receive is known to be posted";
  if (op.completesAtOnce())
    return "a buffered send completes at once";
  if (Value reduction = op.getParam("op"); reduction && getConstantName(reduction).empty())
    return "its reduction operator may be the program's own, which must not run at other times";
  if (getCommAccesses(op).isUnknown)
    return "its buffer may be MPI_BOTTOM, with a datatype that holds addresses";
  if (isSendReceive(op) && !isDecomposable(op))
    return "it sends from and receives to one buffer";
  if (!isSendReceive(op) && !implementationHas(op.getFunction().nonblocking))
    return "this implementation of MPI lacks its nonblocking form";
  return "";
}

/// Completes the request where the blocking operation was, and takes over its status and error code.
static void addWait(OpBuilder &builder, MPIOpInterface blocking, Value request, bool takesOutcomes) {
  SmallVector<NamedParam> params{{"request", request}};
  SmallVector<StringRef> outcomes;
  Value statusResult = blocking.getOutcome("status"), error = blocking.getOutcome("error");
  if (takesOutcomes) {
    if (Value status = blocking.getParam("status"))
      params.emplace_back("status", status);
    if (statusResult)
      outcomes.push_back("status");
    if (error)
      outcomes.push_back("error");
  }
  MPIOpInterface wait = createMPIOp(builder, blocking.getLoc(), "MPI_Wait", Mode::blocking, params, outcomes);
  if (takesOutcomes && statusResult)
    statusResult.replaceAllUsesWith(wait.getOutcome("status"));
  if (takesOutcomes && error)
    error.replaceAllUsesWith(wait.getOutcome("error"));
}

static MPIOpInterface startHalf(OpBuilder &builder, MPIOpInterface op, StringRef function,
                                ArrayRef<std::pair<StringRef, StringRef>> names) {
  SmallVector<NamedParam> params;
  for (auto [half, whole] : names)
    if (Value value = op.getParam(whole))
      params.emplace_back(half, value);
  MPIOpInterface start = createMPIOp(builder, op.getLoc(), function, Mode::async, params, {"request"});
  start->setDiscardableAttr("comm.from", builder.getStringAttr(op.getMPIFunctionName()));
  return start;
}

/// MPI-4, 3.10: a sendrecv is what two concurrent processes would do, one sending, one receiving.
static void splitSendReceive(OpBuilder &builder, MPIOpInterface op) {
  MPIOpInterface receive = startHalf(builder, op, "MPI_Recv",
                                     {{"buf", "recvbuf"},
                                      {"count", "recvcount"},
                                      {"datatype", "recvtype"},
                                      {"source", "source"},
                                      {"tag", "recvtag"},
                                      {"comm", "comm"}});
  MPIOpInterface send = startHalf(builder, op, "MPI_Send",
                                  {{"buf", "sendbuf"},
                                   {"count", "sendcount"},
                                   {"datatype", "sendtype"},
                                   {"dest", "dest"},
                                   {"tag", "sendtag"},
                                   {"comm", "comm"}});
  addWait(builder, op, send.getOutcome("request"), false);
  addWait(builder, op, receive.getOutcome("request"), true);
}

void SplitBlocking::runOnOperation() {
  if (!abi.empty() && !mpi::ABI::lookup(abi)) {
    getOperation().emitError() << "unknown MPI implementation '" << abi.getValue()
                               << "': expected openmpi4, openmpi5, mpich or mpi-abi";
    return signalPassFailure();
  }
  SmallVector<MPIOpInterface> blocking;
  getOperation().walk([&](MPIOpInterface op) {
    if (!op.isAsync() && op.hasAsyncForm())
      blocking.push_back(op);
  });
  for (MPIOpInterface op : blocking) {
    if (StringRef reason = whyNot(op); !reason.empty()) {
      remark::missed(
          op.getLoc(),
          remark::RemarkOpts::name("KeptBlocking").category("comm-split-blocking").function(getFunctionName(op)))
          << getDisplayName(op) << " stays blocking: " << reason;
      ++numKept;
      continue;
    }
    OpBuilder builder(op);
    if (isDecomposable(op)) {
      splitSendReceive(builder, op);
    } else {
      MPIOpInterface start = cloneWithMode(builder, op, Mode::async);
      // The wait tells the error; a start in error is in error under any handler but MPI_ERRORS_RETURN, and then a code
      // that is looked at keeps the operation whole.
      addWait(builder, op, start.getOutcome("request"), true);
    }
    markChanged(op);
    op.erase();
    ++numSplit;
  }
}
