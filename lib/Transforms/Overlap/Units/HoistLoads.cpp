//===- HoistLoads.cpp - Hoist loads of private variables ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units/HoistLoads.h"

#include "Units/PrivateVariable.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Origin.h"

#include "mlir/IR/Dominance.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace comm;

/// Hoists the loads of a variable out of loops that do not change their values.
static unsigned hoist(const PrivateVariable &variable, CFGLoopInfo &loops, const DenseSet<CFGLoop *> &communicating) {
  std::optional<int64_t> size = variable.getSize();
  if (!size)
    return 0;
  unsigned numHoisted = 0;
  std::map<std::tuple<Block *, int64_t, const void *>, Value> hoisted;
  for (auto [load, range] : variable.getLoads()) {
    // The memory of hoisted loads must exist.
    if (range.begin < 0 || range.end > *size)
      continue;
    CFGLoop *outermost = nullptr;
    for (CFGLoop *loop = loops.getLoopFor(load->getBlock()); loop && !variable.isChangedIn(*loop, range);
         loop = loop->getParentLoop())
      if (communicating.contains(loop))
        outermost = loop;
    if (outermost && variable.isKnownIn(*outermost))
      continue;
    Block *before = outermost ? outermost->getLoopPredecessor() : nullptr;
    if (!before || before->getNumSuccessors() != 1)
      continue;
    Value &value = hoisted[{before, range.begin, load.getType().getAsOpaquePointer()}];
    if (!value) {
      OpBuilder builder(before->getTerminator());
      Location loc = dropOrigin(load.getLoc());
      Value address =
          LLVM::GEPOp::create(builder, loc, variable.getVariable().getType(), builder.getI8Type(),
                              variable.getVariable().getResult(), LLVM::GEPArg(static_cast<int32_t>(range.begin)));
      value = LLVM::LoadOp::create(builder, loc, load.getType(), address, load.getAlignment().value_or(0));
    }
    load.getResult().replaceAllUsesWith(value);
    load->erase();
    ++numHoisted;
  }
  return numHoisted;
}

unsigned comm::hoistPrivateLoads(LLVM::LLVMFuncOp function) {
  Region &body = function.getBody();
  if (body.hasOneBlock())
    return 0;
  DominanceInfo dominance;
  CFGLoopInfo loops(dominance.getDomTree(&body));
  DenseSet<CFGLoop *> communicating = findCommunicatingLoops(loops, body);
  if (communicating.empty())
    return 0;
  unsigned numHoisted = 0;
  for (auto alloca : body.front().getOps<LLVM::AllocaOp>())
    numHoisted += hoist(PrivateVariable(alloca), loops, communicating);
  return numHoisted;
}
