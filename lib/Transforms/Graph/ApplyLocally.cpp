//===- ApplyLocally.cpp - Apply updates of own vertices at once -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Reductions.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHAPPLYLOCALLY
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct ApplyLocally : public comm::impl::GraphApplyLocallyBase<ApplyLocally> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation()))
      for (const PlacedAccess &each : getAccesses(loop)) {
        auto reduce = dyn_cast<ReduceOp>(each.op);
        if (!reduce || reduce->hasAttr(kImmediateAttrName))
          continue;
        if (isMonotonic(reduce.getKind())) {
          tell(*this, reduce, "updates of the process's own vertices are applied immediately");
          reduce->setAttr(kImmediateAttrName, UnitAttr::get(&getContext()));
          ++numImmediate;
        } else if (!isLocal(each)) {
          tellNot(*this, reduce, "it is not a minimum, maximum, 'and' or 'or'");
        }
      }
  }
};
} // namespace
