//===- TileGathers.cpp - Gather over neighbors in tiles -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Gathers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHTILEGATHERS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct TileGathers : public comm::impl::GraphTileGathersBase<TileGathers> {
  void runOnOperation() override {
    getOperation()->walk([&](ForallOp loop) {
      // Preparing tiles takes as long as several gathers.
      std::string reason;
      std::optional<Gather> gather = getGather(loop, reason);
      if (gather && !isRepeated(gather->vertices))
        reason = "the loop around it runs once, and preparing tiles takes as long as several gathers";
      if (gather && !gather->load->hasAttr(kCopiedAttrName))
        reason = "values of neighbors are fetched from their processes";
      if (!reason.empty()) {
        if (loop.getCenter())
          tellNot(*this, loop, "neighbors are visited vertex by vertex: " + reason);
        return;
      }
      tell(*this, loop, "neighbors' values are gathered for all vertices at once, in tiles");
      loop->setAttr(kGatheredAttrName, UnitAttr::get(&getContext()));
      ++numGathers;
    });
  }

private:
  static bool isRepeated(ForallOp loop) {
    return loop->getParentOfType<scf::WhileOp>() || loop->getParentOfType<FixedPointOp>() ||
           loop->getParentOfType<ForallOp>();
  }
};
} // namespace
