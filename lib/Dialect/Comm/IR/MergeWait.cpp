//===- MergeWait.cpp - A start and its wait as one operation --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace comm;

Operation *comm::getNextEffectful(Operation *op) {
  do
    op = op->getNextNode();
  while (op && isPure(op));
  return op;
}

void comm::getWaitOutcomes(WaitOp wait, SmallVectorImpl<NamedParam> &params, SmallVectorImpl<StringRef> &outcomes) {
  if (wait.getStatus())
    params.emplace_back("status", wait.getStatus());
  if (wait.getStatusResult())
    outcomes.push_back("status");
  if (wait.getError())
    outcomes.push_back("error");
}

void comm::replaceWaitOutcomes(RewriterBase &rewriter, WaitOp wait, MPIOpInterface blocking) {
  if (wait.getStatusResult())
    rewriter.replaceAllUsesWith(wait.getStatusResult(), blocking.getOutcome("status"));
  if (wait.getError())
    rewriter.replaceAllUsesWith(wait.getError(), blocking.getOutcome("error"));
}

FailureOr<MPIOpInterface> comm::mergeStartAndWait(RewriterBase &rewriter, MPIOpInterface start, WaitOp wait) {
  Value request = wait.getRequest(), error = start.getOutcome("error");
  if (!start.isAsync() || request.getDefiningOp() != start || !request.hasOneUse() || getNextEffectful(start) != wait ||
      (error && !error.use_empty()))
    return failure();
  // The blocking form of a send or collective cannot return a status.
  bool hasStatus = wait.getStatus() || wait.getStatusResult();
  if (hasStatus && !llvm::is_contained(start.getParamNames(), "status"))
    return failure();

  SmallVector<NamedParam> params;
  SmallVector<StringRef> outcomes;
  for (auto [index, name] : llvm::enumerate(start.getParamNames()))
    if (!start.getParamOperands(index).empty() && name != "request")
      params.emplace_back(name, ValueRange(start.getParamOperands(index)));
  getWaitOutcomes(wait, params, outcomes);
  // At the wait, everything that it uses is defined.
  rewriter.setInsertionPoint(wait);
  MPIOpInterface blocking =
      createMPIOp(rewriter, start.getLoc(), start.getMPIFunctionName(), Mode::blocking, params, outcomes);
  for (NamedAttribute attribute : start->getDiscardableAttrs())
    blocking->setDiscardableAttr(attribute.getName(), attribute.getValue());
  replaceWaitOutcomes(rewriter, wait, blocking);
  rewriter.eraseOp(wait);
  rewriter.eraseOp(start);
  return blocking;
}
