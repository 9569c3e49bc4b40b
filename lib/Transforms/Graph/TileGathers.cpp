//===- TileGathers.cpp - Sums over neighbors in the order of the cache ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

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
      // Preparing it takes as long as several gathers.
      std::optional<Gather> gather = getGather(loop);
      if (!gather || !isRepeated(gather->vertices))
        return;
      loop->setAttr("graph.gathered", UnitAttr::get(&getContext()));
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
