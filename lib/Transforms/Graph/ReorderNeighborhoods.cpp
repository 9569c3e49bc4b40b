//===- ReorderNeighborhoods.cpp - Edges that loops have already ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Comm/Analysis/Graph/Reductions.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHREORDERNEIGHBORHOODS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct ReorderNeighborhoods : public comm::impl::GraphReorderNeighborhoodsBase<ReorderNeighborhoods> {
  void runOnOperation() override {
    for (const NeighborEdge &each : getNeighborEdges(getOperation())) {
      NeighborEdge found = each;
      // The edge to the center is the matter of its source: a loop over in-neighbors would have to search as well.
      if (found.loop.getDomain() == Domain::in_neighbors)
        continue;
      // The neighbor is an argument of the filter or of the body; so is its edge.
      auto neighbor = cast<BlockArgument>(stripConversions(found.search.getTarget()));
      found.search.getResult().replaceAllUsesWith(neighbor.getOwner()->getArgument(1));
      found.search.erase();
      ++numSearches;
    }
  }
};
} // namespace
