//===- BalanceEdges.cpp - Balance edges between processes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHBALANCEEDGES
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct BalanceEdges : public comm::impl::GraphBalanceEdgesBase<BalanceEdges> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      // The program calls the other functions.
      if (function.getNoInline())
        return;
      tell(*this, function, "ranges of vertices have the same number of vertices and edges");
      function->setAttr(kBalancedAttrName, UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
