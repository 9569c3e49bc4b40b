//===- ChooseDirection.cpp - Push or pull ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Relaxations.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHCHOOSEDIRECTION
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct ChooseDirection : public comm::impl::GraphChooseDirectionBase<ChooseDirection> {
  void runOnOperation() override {
    getOperation()->walk([&](LevelsOp op) {
      tell(*this, op,
           "the search for levels pushes from few vertices; if many were found, the others pull from them, provided "
           "that "
           "incoming edges are available");
      op->setAttr(kPullsAttrName, UnitAttr::get(&getContext()));
      ++numPulls;
    });
    getOperation()->walk([&](FixedPointOp op) {
      std::string reason;
      std::optional<Relaxation> found = op->hasAttr(kAggregatedAttrName) ? getRelaxation(op, reason) : std::nullopt;
      if (!found)
        return;
      if (!found->isUniform) {
        tellNot(*this, op,
                "changed vertices always push to their neighbors: the pushed value depends on the edge, on a "
                "condition, or on more than the vertex's value");
        return;
      }
      tell(*this, op,
           "if many vertices changed, their neighbors pull from them, provided that incoming edges are available");
      op->setAttr(kPullsAttrName, UnitAttr::get(&getContext()));
      ++numPulls;
    });
  }
};
} // namespace
