//===- CacheReads.cpp - Fetch values of other processes once --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Reductions.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHCACHEREADS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct CacheReads : public comm::impl::GraphCacheReadsBase<CacheReads> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation())) {
      for (const PlacedAccess &each : getAccesses(loop)) {
        bool isFetched = isa<LoadOp>(each.op) && !isLocal(each) && !each.op->hasAttr(kCopiedAttrName);
        if (isFetched)
          tell(*this, each.op, "fetched values are kept until the loop ends");
      }
      loop->setAttr(kCachedAttrName, UnitAttr::get(&getContext()));
      ++numCached;
    }
  }
};
} // namespace
