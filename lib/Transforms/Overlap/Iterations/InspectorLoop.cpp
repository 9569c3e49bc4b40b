//===- InspectorLoop.cpp - Where the result of an inspector stays valid ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/Inspector.h"

#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// Returns the starts that a completion completes, if all of them are known.
static std::optional<SmallVector<Operation *>> findCompletedStarts(Operation *op, MemoryOracle &oracle) {
  SmallVector<Operation *> starts;
  auto completion = dyn_cast<CompletionOpInterface>(op);
  if (!completion)
    return std::nullopt;
  if (isWaitInMemory(op)) {
    const CompletedStarts *completed = oracle.getCompletedStarts(op);
    if (!completed || !completed->isKnown())
      return std::nullopt;
    for (const InFlightStart &start : completed->starts)
      starts.push_back(start.start);
    return starts;
  }
  for (Value request : completion.getRequests()) {
    if (!isa_and_nonnull<MPIOpInterface>(request.getDefiningOp()))
      return std::nullopt;
    starts.push_back(request.getDefiningOp());
  }
  return starts;
}

/// Returns true if the load reads a named variable.
static bool isOfVariable(Operation *op) {
  Value address = cast<LLVM::LoadOp>(op).getAddr();
  while (auto step = address.getDefiningOp<LLVM::GEPOp>()) {
    if (!step.getDynamicIndices().empty())
      return false;
    address = step.getBase();
  }
  return address.getDefiningOp<LLVM::AddressOfOp>() != nullptr;
}

/// Finds the outermost loop around the unit in which nothing changes what the inspector reads. What the inspector
/// checks does not count, and operations that do not run in every iteration invalidate the result. Without such a loop,
/// the inspector would run each time.
bool InspectorSearch::findLoopAround() {
  auto function = result.unit.op->getParentOfType<FunctionOpInterface>();
  DominanceInfo dominance(function);
  Block *here = result.unit.op->getBlock();
  CFGLoopInfo loops(dominance.getDomTree(here->getParent()));
  CFGLoop *innermost = loops.getLoopFor(here);
  SmallVector<Block *> latches;
  if (innermost)
    innermost->getLoopLatches(latches);
  DenseSet<Operation *> inUnit, asked;
  result.unit.walk([&](Operation *op) { inUnit.insert(op); });
  for (const InspectedRange &range : result.ranges)
    if (range.start)
      asked.insert(range.start);
  ArrayRef<Operation *> loads = result.slice->getLoads();
  DenseMap<Operation *, bool> changes;
  size_t pairs = 0;
  Operation *culprit = nullptr;
  auto meetsLoad = [&](Operation *op, bool isByArguments) {
    pairs += loads.size();
    // A replaced operator may count in variables, but not in arrays of indices. A program cannot rely on when it runs
    // either, since compilers may elide its calls.
    bool isAllocator = callsNewOrDelete(op);
    return llvm::any_of(loads, [&](Operation *load) {
      if (isAllocator && !isOfVariable(load))
        return false;
      return isByArguments ? oracle.mayConflictAtArguments(cast<MPIOpInterface>(op), load, /*acrossIterations=*/true)
                           : oracle.mayConflict(op, load, /*acrossIterations=*/true);
    });
  };
  // Skip what is checked at run time: starts of this chain, and what the loop itself writes.
  auto mayChange = [&](Operation *op) {
    if (inUnit.contains(op) || asked.contains(op) || !oracle.getBehavior(op).writes)
      return false;
    auto [it, isNew] = changes.try_emplace(op, false);
    if (!isNew)
      return it->second;
    std::optional<SmallVector<Operation *>> starts = findCompletedStarts(op, oracle);
    bool doesChange = meetsLoad(op, /*isByArguments=*/starts.has_value());
    for (Operation *start : starts.value_or(SmallVector<Operation *>()))
      doesChange = doesChange || (!asked.contains(start) && meetsLoad(start, /*isByArguments=*/false));
    return changes[op] = doesChange;
  };
  for (CFGLoop *loop = innermost; loop; loop = loop->getParentLoop()) {
    SmallVector<Operation *> forgetting;
    bool isRight = true;
    for (Block *block : loop->blocks()) {
      // Executed in each iteration or in an inner loop: it would invalidate the result all the time.
      bool isOften = loops.getLoopFor(block) != innermost ||
                     llvm::any_of(latches, [&](Block *latch) { return dominance.dominates(block, latch); });
      for (Operation &op : *block) {
        if (pairs > kMostInspectedPairs || !isRight)
          break;
        bool doesChange = mayChange(&op);
        op.walk([&](Operation *inner) {
          if (inner != &op)
            doesChange |= mayChange(inner);
        });
        if (!doesChange)
          continue;
        if (isOften) {
          isRight = false;
          culprit = culprit ? culprit : &op;
        } else {
          forgetting.push_back(&op);
        }
      }
    }
    if (!isRight || pairs > kMostInspectedPairs)
      break;
    result.around = loop->getHeader();
    result.forgetting = std::move(forgetting);
  }
  if (result.around) {
    DenseSet<Block *> inside;
    for (CFGLoop *loop = innermost; loop; loop = loop->getParentLoop())
      if (loop->getHeader() == result.around)
        inside.insert(loop->block_begin(), loop->block_end());
    for (Value input : result.slice->getInputs())
      if (inside.contains(input.getParentBlock()) && !matchPattern(input, m_Constant()))
        result.keys.push_back(input);
    return true;
  }
  result.isMeasured = !mayRunEachTime;
  // A loop of its own reads its indices more slowly than it does anything else.
  if (mayRunEachTime || result.loop.header != result.loop.latch)
    return true;
  why = innermost ? "reads indices that may change between executions"
                  : "reads indices and is not in a loop: inspecting them would take as long as it saves";
  if (culprit && getSourcePosition(culprit->getLoc()).line)
    why += " (" + toString(getSourcePosition(culprit->getLoc())) + ")";
  return false;
}
