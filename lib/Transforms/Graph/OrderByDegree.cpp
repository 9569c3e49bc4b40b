//===- OrderByDegree.cpp - Visit cliques by number of edges ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Comm/Analysis/Graph/Cliques.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHORDERBYDEGREE
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct OrderByDegree : public comm::impl::GraphOrderByDegreeBase<OrderByDegree> {
  void runOnOperation() override {
    getOperation()->walk([&](ForallOp loop) {
      if (!getTriangleCount(loop))
        return;
      loop->setAttr(kByDegreeAttrName, UnitAttr::get(&getContext()));
      ++numOrdered;
    });
  }
};
} // namespace
