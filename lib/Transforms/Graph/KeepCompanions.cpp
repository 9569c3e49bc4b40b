//===- KeepCompanions.cpp - Keep initial values of companions -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHKEEPCOMPANIONS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct KeepCompanions : public comm::impl::GraphKeepCompanionsBase<KeepCompanions> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([&](ForallOp loop) {
      // An ordered loop has no snapshots; loops inside it have their own.
      if (loop.getOrdered())
        return WalkResult::advance();
      for (Value property : getRead(loop))
        keep(loop, property);
      return WalkResult::skip();
    });
  }

private:
  /// Returns the properties that the loop reads as they were before it and does not reduce. For the latter, updates
  /// keep the old values.
  static SmallVector<Value> getRead(ForallOp loop) {
    SmallVector<Value> read = getSnapshots(loop);
    for (const PlacedAccess &each : getAccesses(loop))
      if (each.access.kind == AccessKind::Reduce)
        llvm::erase(read, each.access.object);
    return read;
  }

  void keep(ForallOp loop, Value property) {
    Value whole;
    for (BlockArgument argument : loop->getParentOfType<func::FuncOp>().getArguments())
      if (isa<comm::graph::GraphType>(argument.getType()))
        whole = argument;
    OpBuilder builder(loop);
    Value before = PropertyOp::create(builder, loop.getLoc(), property.getType(), whole, /*name=*/StringAttr());
    CopyOp::create(builder, loop.getLoc(), property, before);
    for (Region *region : {&loop.getFilter(), &loop.getBody()})
      region->walk([&](LoadOp load) {
        if (load.getProperty() == property)
          load.getPropertyMutable().assign(before);
      });
    ++numKept;
  }
};
} // namespace
