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
      if (!getRelaxation(op, reason)) {
        tellNot(op, "graph-aggregate-pulses", "aggregate", "the fixed point runs round by round: " + reason);
        return;
      }
      tell(op, "graph-aggregate-pulses", "aggregate",
           "the fixed point runs in any order: each process repeats what it can by itself before it sends");
      op->setAttr("graph.aggregated", UnitAttr::get(&getContext()));
      ++numAggregated;
    });
  }
};
} // namespace
