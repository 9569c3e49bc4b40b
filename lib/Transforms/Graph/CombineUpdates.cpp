//===- CombineUpdates.cpp - Combine updates before sending them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Reductions.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHCOMBINEUPDATES
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct CombineUpdates : public comm::impl::GraphCombineUpdatesBase<CombineUpdates> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation()))
      for (const PlacedAccess &each : getAccesses(loop)) {
        if (!isa<ReduceOp, StoreOp>(each.op) || each.op->hasAttr(kCombinedAttrName))
          continue;
        if (!isLocal(each))
          tell(*this, each.op, "updates of one vertex or edge are combined before they are sent");
        each.op->setAttr(kCombinedAttrName, UnitAttr::get(&getContext()));
        ++numCombined;
      }
  }
};
} // namespace
