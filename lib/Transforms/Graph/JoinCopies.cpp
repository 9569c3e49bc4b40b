//===- JoinCopies.cpp - Replace passed values by components ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Relaxations.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHJOINCOPIES
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct JoinCopies : public comm::impl::GraphJoinCopiesBase<JoinCopies> {
  void runOnOperation() override {
    getOperation()->walk([&](FixedPointOp op) {
      std::string reason;
      std::optional<Relaxation> found = op->hasAttr(kAggregatedAttrName) ? getRelaxation(op, reason) : std::nullopt;
      // Conditions would leave out edges, and the runtime does not know companions.
      bool isCopy = found && found->isUniform && found->growth == Growth::Copied && found->companions.empty();
      if (!found)
        return;
      if (!isCopy || found->reduce.getKind() != ReductionKind::min) {
        tellNot(*this, op,
                "vertices are not joined: the value passed on is not an unchanged minimum, has companions, or depends "
                "on a condition");
        return;
      }
      tell(*this, op, "processes join vertices if the graph is undirected and each vertex begins with its number");
      op->setAttr(kJoinsAttrName, UnitAttr::get(&getContext()));
      ++numJoins;
    });
  }
};
} // namespace
