//===- SplitBlocking.cpp - Split blocking operations into start and wait --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/SpareBuffer.h"

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Rounding.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "Comm/Analysis/Order/Placement.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Sums.h"

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
  /// Returns why the operation must stay blocking, or "" if it need not.
  StringRef whyNot(MPIOpInterface op) const;
  bool implementationHas(StringRef function) const;
  bool mayReorder(StringRef function) const;
  bool nonblockingAgrees(StringRef function) const;
  mpi::StartKind getKind(MPIOpInterface op) const;

  /// Null if the implementation is unknown.
  const mpi::ABI *known = nullptr;
};
} // namespace

/// Returns true if the test holds for the implementation, or for all of them if the implementation is unknown.
static bool holds(const mpi::ABI *known, llvm::function_ref<bool(const mpi::ABI &)> test) {
  return known ? test(*known) : llvm::all_of(mpi::ABI::all(), test);
}

bool SplitBlocking::implementationHas(StringRef function) const {
  return holds(known, [&](const mpi::ABI &each) { return each.hasFunction(function); });
}

/// Returns true if the nonblocking form may replace that blocking reduction if it rounds.
bool SplitBlocking::mayReorder(StringRef function) const {
  return sums == mpi::SumOrder::Any || (sums == mpi::SumOrder::Ordered &&
                                        holds(known, [&](const mpi::ABI &each) { return each.addsInOrder(function); }));
}

bool SplitBlocking::nonblockingAgrees(StringRef function) const {
  return holds(known, [&](const mpi::ABI &each) { return each.nonblockingAgrees(function); });
}

static bool isSendReceive(MPIOpInterface op) { return op.getMatching().kind == Matching::Kind::SendReceive; }

/// Returns true if all partners are MPI_PROC_NULL, so that the operation returns at once (MPI-4, 3.10).
static bool isWithNobody(MPIOpInterface op) {
  bool hasPartner = false;
  for (StringRef name : {"dest", "source"})
    if (Value partner = op.getParam(name)) {
      if (getConstantName(partner) != "MPI_PROC_NULL")
        return false;
      hasPartner = true;
    }
  return hasPartner;
}

mpi::StartKind SplitBlocking::getKind(MPIOpInterface op) const {
  // With `exact`, everything that may round stays blocking, and everything that does not is exact.
  Rounding rounding = getRounding(op, sums);
  if (rounding == Rounding::No)
    return mpi::StartKind::Exact;
  if (sums != mpi::SumOrder::Any)
    return mpi::StartKind::Ordered;
  return rounding == Rounding::Yes ? mpi::StartKind::Sum : mpi::StartKind::Either;
}

StringRef SplitBlocking::whyNot(MPIOpInterface op) const {
  Value error = op.getOutcome("error");
  if (error && !error.use_empty())
    return "its error code is used immediately (-fcomm-errors-are-fatal promises that there are no errors)";
  if (isWithNobody(op))
    return "its partner is MPI_PROC_NULL, so there is nothing to overlap";
  if (op.completesRemotely() && op.getAccesses().empty())
    return "it orders accesses to memory that is not among its arguments";
  if (Value reduction = op.getParam("op"); reduction && getConstantName(reduction).empty())
    return "its reduction operator may be the program's own, which must not run at other times";
  Rounding rounding = getRounding(op, sums);
  if (rounding != Rounding::No && !mayReorder(op.getMPIFunctionName()))
    return "its nonblocking form may combine floating-point numbers in another order (-fcomm-sums=any allows that)";
  // Reductions that round become nonblocking subject to a run-time check, on which all processes must agree.
  if (rounding == Rounding::Maybe && sums != mpi::SumOrder::Any)
    return "its datatype is unknown here and may consist of floating-point numbers, which its nonblocking form may add "
           "in another order (-fcomm-sums=any allows that)";
  if (StringRef reason = whyOnlyHere(op); !reason.empty())
    return reason;
  if (hasOneBuffer(op))
    return whyNoSpare(op, known);
  if (!isSendReceive(op) && !implementationHas(op.getFunction().nonblocking))
    return "this implementation of MPI lacks its nonblocking form";
  if (!nonblockingAgrees(op.getMPIFunctionName()))
    return "this implementation's nonblocking form may swap the blocks of two neighbors that are the same process";
  return "";
}

/// Creates a wait in the place of the blocking operation. With `takesOutcomes` it takes over the status and error code.
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

static void splitSendReceive(OpBuilder &builder, MPIOpInterface op, const mpi::ABI *abi) {
  Value spare = hasOneBuffer(op) ? makeSpare(builder, op, *abi) : Value();
  auto [receive, send] = startHalves(builder, op, spare);
  for (MPIOpInterface half : {receive, send})
    half->setDiscardableAttr(kOriginAttrName, builder.getStringAttr(op.getMPIFunctionName()));
  addWait(builder, op, send.getOutcome("request"), false);
  addWait(builder, op, receive.getOutcome("request"), true);
  if (spare)
    returnSpare(builder, op, spare);
}

void SplitBlocking::runOnOperation() {
  StringRef name = getABIName(abi, getOperation());
  known = name.empty() ? nullptr : lookupABI(name, getOperation());
  if (!name.empty() && !known)
    return signalPassFailure();
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
    if (isSendReceive(op)) {
      splitSendReceive(builder, op, known);
    } else {
      MPIOpInterface start = cloneWithMode(builder, op, Mode::async);
      if (start.getMatching().kind == Matching::Kind::Collective)
        start->setDiscardableAttr(kStartKindAttrName, builder.getStringAttr(mpi::stringifyStartKind(getKind(op))));
      // The wait reports the error. An erroneous start raises it under any handler but MPI_ERRORS_RETURN, in which case
      // a used error code keeps the operation blocking.
      addWait(builder, op, start.getOutcome("request"), true);
    }
    markSplit(op);
    op.erase();
    ++numSplit;
  }
}
