//===- OwnWaits.cpp - Waits for requests in memory -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/OwnWaits.h"

#include "Motion/LeftWaits.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace comm;

std::vector<OwnWait> comm::findOwnWaits(const Chain &chain, MemoryOracle &oracle) {
  std::vector<OwnWait> all;
  for (unsigned i = 0; i < chain.getUnits().size(); ++i) {
    OwnWait found{i, {}, nullptr, {}};
    bool starts = false;
    chain.getUnits()[i].walk([&](Operation *op) {
      CommRole role = getCommRole(op);
      starts |= role == CommRole::Start || role == CommRole::Ordered;
      if (role != CommRole::Completion || !isWaitInMemory(op) || isConditionalWait(op))
        return;
      const CompletedStarts *completed = oracle.getCompletedStarts(op);
      starts |= !completed;
      if (!completed)
        return;
      found.wait = found.wait ? found.wait : op;
      for (const InFlightStart &start : completed->starts) {
        MPIOpInterface source = start.start;
        if (!llvm::is_contained(found.starts, source.getOperation()))
          found.starts.push_back(source);
        int home = chain.findUnit(source);
        if (home >= 0 && home < static_cast<int>(i) && !llvm::is_contained(found.startUnits, home))
          found.startUnits.push_back(home);
      }
    });
    if (found.wait && !starts)
      all.push_back(std::move(found));
  }
  return all;
}

void comm::addPairs(ArrayRef<OwnWait> waits, unsigned begin, unsigned end, ScheduleProblem &problem) {
  for (const OwnWait &wait : waits) {
    if (wait.unit < begin || wait.unit >= end)
      continue;
    ScheduleProblem::Pair pair{wait.unit - begin, wait.unit - begin};
    pair.isInMemory = true;
    pair.isProgramsOwn = !isLeft(wait.wait);
    for (unsigned start : wait.startUnits)
      if (start >= begin) {
        pair.start = start - begin;
        problem.pairs.push_back(pair);
      }
    // Its starts ran in an earlier iteration, or before this scope.
    if (pair.start == pair.wait) {
      pair.startsBefore = true;
      problem.pairs.push_back(pair);
    }
  }
}

std::string comm::describe(const OwnWait &wait) {
  auto name = [](Operation *op) {
    return (cast<MPIOpInterface>(op).getCalledFunction().name + llvm::Twine(" at ") +
            toString(getSourcePosition(op->getLoc())))
        .str();
  };
  // The program has a blocking call here.
  if (isLeft(wait.wait) && !wait.starts.empty())
    return (getDisplayName(cast<MPIOpInterface>(wait.starts.front())) + " at " +
            toString(getSourcePosition(wait.starts.front()->getLoc())))
        .str();
  std::string text = name(wait.wait);
  if (wait.starts.empty())
    return text;
  text += ", which completes " + name(wait.starts.front());
  if (size_t others = wait.starts.size() - 1)
    text += " and " + std::to_string(others) + " other start" + (others == 1 ? "" : "s");
  return text + ",";
}
