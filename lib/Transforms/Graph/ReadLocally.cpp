//===- ReadLocally.cpp - Read own values in place -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Reductions.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHREADLOCALLY
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct ReadLocally : public comm::impl::GraphReadLocallyBase<ReadLocally> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation())) {
      for (const PlacedAccess &each : getAccesses(loop))
        if (isa<LoadOp>(each.op) && isLocal(each))
          tell(*this, each.op, "read from the arrays of the process that runs the iteration");
      // Code for arbitrary vertices and edges checks whether this process has them.
      loop.walk([&](LoadOp load) {
        load->setAttr(kLocalAttrName, UnitAttr::get(&getContext()));
        ++numLocal;
      });
    }
  }
};
} // namespace
