//===- AggregatePulses.cpp - Fixed points that run in any order -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Relaxations.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHAGGREGATEPULSES
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct AggregatePulses : public comm::impl::GraphAggregatePulsesBase<AggregatePulses> {
  void runOnOperation() override {
    getOperation()->walk([&](FixedPointOp op) {
      std::string reason;
      std::optional<Relaxation> found = getRelaxation(op, reason);
      if (found)
        reason = whyNot(*found);
      if (!reason.empty()) {
        tellNot(*this, op, "the fixed point runs round by round: " + reason);
        return;
      }
      tell(*this, op, "the fixed point runs in any order: each process iterates on its own before it sends");
      op->setAttr(kAggregatedAttrName, UnitAttr::get(&getContext()));
      ++numAggregated;
    });
  }

private:
  /// Returns which result of other transforms is missing, or "".
  static std::string whyNot(Relaxation &found) {
    if (!found.reduce->hasAttr(kImmediateAttrName))
      return "updates of a process's own vertices wait for the end of the round";
    bool isFetched = false;
    found.vertices.walk([&](Operation *op) {
      auto load = dyn_cast<LoadOp>(op);
      auto degree = dyn_cast<DegreeOp>(op);
      Value index = load ? load.getIndex() : degree ? degree.getVertex() : Value();
      isFetched |= index && isAtBorder(found.vertices, index) && !op->hasAttr(kCopiedAttrName);
    });
    return isFetched ? "values of neighbors are fetched from their processes" : "";
  }
};
} // namespace
