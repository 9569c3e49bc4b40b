//===- OverlapUpdates.cpp - Overlap updates with iterations ---------------===//
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
#define GEN_PASS_DEF_GRAPHOVERLAPUPDATES
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

/// Returns true if the vertex or edge certainly belongs to the process that runs the iteration.
static bool isOwn(ForallOp loop, const PlacedAccess &each) {
  Value index = each.access.index;
  auto end = index ? index.getDefiningOp<EndpointOp>() : nullptr;
  if (end && end.getDirection() == Direction::out && getLoopOf(end.getEdge()) == loop)
    return true;
  // The process of a vertex visits its neighbors.
  bool isVisitedElsewhere = loop.getCenter() && index && isa<VertexType>(index.getType());
  return each.place == Place::Own && !isVisitedElsewhere;
}

/// Returns why updates have to wait for all iterations, or "" if they need not or there are none for other processes.
static std::string whyNot(ForallOp loop, bool &hasUpdates) {
  hasUpdates = false;
  std::string reason;
  for (const PlacedAccess &each : getAccesses(loop)) {
    bool isUpdate = each.access.kind != AccessKind::Read && isa<PropertyType>(each.access.object.getType());
    if (!isUpdate || isOwn(loop, each))
      continue;
    hasUpdates = true;
    auto reduce = dyn_cast<ReduceOp>(each.op);
    if (!reduce)
      reason = "some set a vertex or edge that is not the iteration's own";
    else if (!isAtBorder(loop, reduce.getIndex()))
      reason = "some are of vertices or edges that may belong to any process";
    else if (!reduce->hasAttr(kCopiedAttrName) || !reduce->hasAttr(kCombinedAttrName))
      reason = "they are not combined in copies of neighbors";
  }
  if (!hasUpdates)
    return reason;
  if (std::string general = whyNotInParts(loop, "results"); !general.empty())
    return general;
  return reason;
}

namespace {
struct OverlapUpdates : public comm::impl::GraphOverlapUpdatesBase<OverlapUpdates> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation())) {
      bool hasUpdates;
      std::string reason = whyNot(loop, hasUpdates);
      if (!hasUpdates || loop->hasAttr(kByDegreeAttrName))
        continue;
      if (!reason.empty()) {
        tellNot(*this, loop, "updates travel after the loop: " + reason);
        continue;
      }
      // convert-graph-to-comm reports this, since it knows whether iterations query other processes.
      loop->setAttr(kOverlappedAttrName, UnitAttr::get(&getContext()));
      ++numOverlapped;
    }
  }
};
} // namespace
