//===- RequestLoop.cpp - Loops over an array of requests -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestLoop.h"

#include "Comm/Analysis/Requests/LinearIndex.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

using namespace mlir;
using namespace comm;

std::optional<LoopEnd> comm::matchEnd(const CFGLoop &loop) {
  Block *latch = loop.getLoopLatch();
  auto branch = latch ? dyn_cast<LLVM::CondBrOp>(latch->getTerminator()) : LLVM::CondBrOp();
  auto compare = branch ? branch.getCondition().getDefiningOp<LLVM::ICmpOp>() : LLVM::ICmpOp();
  if (!compare || branch.getTrueDest() == branch.getFalseDest())
    return std::nullopt;
  LoopEnd end{branch, compare.getLhs(), compare.getRhs()};
  if (loop.contains(end.last.getParentBlock()))
    std::swap(end.next, end.last);
  auto wanted = end.leavesIfTrue(loop) ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne;
  return compare.getPredicate() == wanted ? std::optional(end) : std::nullopt;
}

std::optional<RequestLoop> comm::matchRequestLoop(Operation *op, Value pointer, CFGLoop &loop, const DataLayout &layout,
                                                  uint64_t handleSize) {
  std::optional<LoopEnd> end = matchEnd(loop);
  Block *entry = loop.getLoopPredecessor();
  auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
  if (!end || !entry || !gep || gep.getIndices().size() != 1 ||
      layout.getTypeSize(gep.getElemType()).getFixedValue() != handleSize)
    return std::nullopt;
  auto dynamic = dyn_cast<Value>(*gep.getIndices().begin());
  LinearIndex index = dynamic ? getLinearIndex(dynamic) : LinearIndex(), step = getLinearIndex(end->next);
  auto counter = dyn_cast_or_null<BlockArgument>(index.symbol);
  if (!counter || index.constant != 0 || counter.getOwner() != loop.getHeader() || step.symbol != counter ||
      step.constant != 1 || getPassed(loop.getLoopLatch(), counter) != end->next)
    return std::nullopt;
  Value first = getPassed(entry, counter);
  return first && getConstantInteger(first) == 0 ? std::optional(RequestLoop{op, &loop, end->last, gep.getBase()})
                                                 : std::nullopt;
}
