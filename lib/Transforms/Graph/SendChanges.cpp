//===- SendChanges.cpp - Send only changes to copies ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHSENDCHANGES
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct SendChanges : public comm::impl::GraphSendChangesBase<SendChanges> {
  void runOnOperation() override {
    for (ForallOp loop : getSharedLoops(getOperation())) {
      WalkResult reads = loop.walk(
          [](LoadOp load) { return load->hasAttr(kCopiedAttrName) ? WalkResult::interrupt() : WalkResult::advance(); });
      if (!reads.wasInterrupted())
        continue;
      tell(*this, loop, "before the loop, owners send the values of neighbors that changed since they were sent last");
      loop->setAttr(kChangesAttrName, UnitAttr::get(&getContext()));
      ++numLoops;
    }
  }
};
} // namespace
