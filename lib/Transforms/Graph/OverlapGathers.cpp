//===- OverlapGathers.cpp - Overlap ghosts with own gathers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHOVERLAPGATHERS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct OverlapGathers : public comm::impl::GraphOverlapGathersBase<OverlapGathers> {
  void runOnOperation() override {
    getOperation()->walk([&](ForallOp loop) {
      if (!loop->hasAttr(kGatheredAttrName))
        return;
      tell(*this, loop, "between nodes, ghosts travel while values of own vertices are gathered");
      loop->setAttr(kOverlappedAttrName, UnitAttr::get(&getContext()));
      ++numOverlapped;
    });
  }
};
} // namespace
