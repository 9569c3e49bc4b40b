//===- Interval.cpp - A start and its wait ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Interval.h"

using namespace mlir;
using namespace comm;

bool comm::isConditionalWait(Operation *op) {
  auto completion = dyn_cast<CompletionOpInterface>(op);
  return completion && completion.isConditional();
}

bool comm::mayBeProgramsStart(MPIOpInterface start) {
  return start.isAsync() && (start.getParam("request") || start->hasAttr(kProgramsIntervalAttrName));
}

unsigned comm::eraseRecalled(Operation *root) {
  unsigned number = 0;
  root->walk([&](Operation *op) {
    if (!op->hasAttr(kRecalledAttrName))
      return;
    op->erase();
    ++number;
  });
  return number;
}

std::optional<Interval> comm::getInterval(Operation *op) {
  auto start = dyn_cast<MPIOpInterface>(op);
  if (!start || !start.isAsync())
    return std::nullopt;
  Value request = start.getOutcome("request");
  if (!request)
    return std::nullopt;
  Interval interval{start, nullptr, {}, nullptr};
  for (Operation *user : request.getUsers()) {
    if (auto guard = dyn_cast<WaitIfOp>(user); guard && !interval.guard) {
      interval.guard = guard;
      continue;
    }
    auto wait = dyn_cast<WaitOp>(user);
    if (!wait || (interval.wait && !wait->hasAttr(kCleanupAttrName)))
      return std::nullopt;
    if (wait->hasAttr(kCleanupAttrName))
      interval.cleanups.push_back(wait);
    else
      interval.wait = wait;
  }
  if (!interval.wait)
    return std::nullopt;
  return interval;
}
