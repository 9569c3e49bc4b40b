//===- ReorderNeighborhoods.cpp - Use the edges that loops have -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

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
    llvm::DenseSet<Operation *> known;
    for (const NeighborEdge &each : getNeighborEdges(getOperation())) {
      NeighborEdge found = each;
      known.insert(found.search);
      // The edge to the center belongs to its source: a loop over in-neighbors would have to search as well.
      if (found.loop.getDomain() == Domain::in_neighbors) {
        tellNot(*this, found.search,
                "the edge is searched for: the loop visits in-neighbors, whose processes have their edges");
        continue;
      }
      tell(*this, found.search, "the edge is the one that the loop visits");
      // The neighbor is an argument of the filter or of the body, next to its edge.
      auto neighbor = cast<BlockArgument>(stripConversions(found.search.getTarget()));
      known.erase(found.search);
      found.search.getResult().replaceAllUsesWith(neighbor.getOwner()->getArgument(1));
      found.search.erase();
      ++numSearches;
    }
    getOperation()->walk([&](FindEdgeOp search) {
      if (!known.contains(search))
        tellNot(*this, search, "the edge is searched for: no loop over neighbors visits it");
    });
  }
};
} // namespace
