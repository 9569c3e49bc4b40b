//===- OverlapGhosts.cpp - Overlap ghosts with iterations -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "InParts.h"
#include "Remarks.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHOVERLAPGHOSTS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

/// Returns why ghosts have to arrive before the loop, or "" if they need not or it reads none.
static std::string whyNot(ForallOp loop, bool &readsGhosts) {
  bool hasGather = false;
  readsGhosts = false;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(kGatheredAttrName)) {
      hasGather = true;
      return WalkResult::skip();
    }
    readsGhosts |= isa<LoadOp>(op) && op->hasAttr(kCopiedAttrName);
    return WalkResult::advance();
  });
  if (std::string reason = whyNotInParts(loop, "values"); !reason.empty())
    return reason;
  return hasGather ? "a gather for all vertices comes before the first iteration" : "";
}

namespace {
struct OverlapGhosts : public comm::impl::GraphOverlapGhostsBase<OverlapGhosts> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation())) {
      bool readsGhosts;
      std::string reason = whyNot(loop, readsGhosts);
      if (!readsGhosts || loop->hasAttr(kByDegreeAttrName))
        continue;
      if (!reason.empty()) {
        tellNot(*this, loop, "ghosts arrive before the loop: " + reason);
        continue;
      }
      // convert-graph-to-comm reports this, since it knows whether iterations query other processes.
      loop->setAttr(kInteriorFirstAttrName, UnitAttr::get(&getContext()));
      ++numOverlapped;
    }
  }
};
} // namespace
