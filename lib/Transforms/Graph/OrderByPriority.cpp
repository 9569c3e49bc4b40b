//===- OrderByPriority.cpp - Visit the best values first ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Relaxations.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHORDERBYPRIORITY
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct OrderByPriority : public comm::impl::GraphOrderByPriorityBase<OrderByPriority> {
  void runOnOperation() override {
    getOperation()->walk([&](FixedPointOp op) {
      std::string reason;
      std::optional<Relaxation> found = op->hasAttr(kAggregatedAttrName) ? getRelaxation(op, reason) : std::nullopt;
      // The summand determines the width of buckets.
      bool isInteger = found && cast<PropertyType>(found->property.getType()).getValueType().isInteger();
      if (!found)
        return;
      if (!found->edgeStep && !(found->uniformStep && isInteger)) {
        tellNot(*this, op, "vertices are visited in no particular order: no summand determines the width of buckets");
        return;
      }
      tell(*this, op, "vertices with the best values come first, in buckets");
      op->setAttr(kPrioritizedAttrName, UnitAttr::get(&getContext()));
      ++numPrioritized;
    });
  }
};
} // namespace
