//===- CopyBorders.cpp - Copy neighbors of other processes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHCOPYBORDERS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct CopyBorders : public comm::impl::GraphCopyBordersBase<CopyBorders> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation()))
      loop.walk([&](Operation *op) {
        if (auto load = dyn_cast<LoadOp>(op))
          read(loop, op, load.getIndex());
        else if (auto degree = dyn_cast<DegreeOp>(op))
          read(loop, op, degree.getVertex());
        else if (auto reduce = dyn_cast<ReduceOp>(op))
          update(loop, reduce);
      });
  }

private:
  void mark(Operation *op) {
    op->setAttr(kCopiedAttrName, UnitAttr::get(&getContext()));
    ++numCopied;
  }

  void read(ForallOp loop, Operation *op, Value index) {
    if (!isAtBorder(loop, index))
      return;
    tell(*this, op,
         "neighbors of other processes are read from copies, which are refreshed before the loop if they changed");
    mark(op);
  }

  /// Marks any update of a vertex, since any vertex may have a copy.
  void update(ForallOp loop, ReduceOp reduce) {
    if (!isa<VertexType>(reduce.getIndex().getType()))
      return;
    if (isAtBorder(loop, reduce.getIndex()))
      tell(*this, reduce, "updates of neighbors of other processes are combined in copies");
    mark(reduce);
  }
};
} // namespace
