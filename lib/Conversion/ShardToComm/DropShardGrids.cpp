//===- DropShardGrids.cpp - Removing grids of the shard dialect -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's convert-shard-to-mpi leaves the grids in the module: public symbols that nothing removes and that cannot
// be translated to LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace comm {
#define GEN_PASS_DEF_DROPSHARDGRIDS
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;

namespace {
struct DropShardGrids : comm::impl::DropShardGridsBase<DropShardGrids> {
  void runOnOperation() override {
    SmallVector<shard::GridOp> grids;
    bool failedCheck = false;
    getOperation()->walk([&](Operation *op) {
      if (auto grid = dyn_cast<shard::GridOp>(op)) {
        grids.push_back(grid);
      } else if (isa_and_nonnull<shard::ShardDialect>(op->getDialect())) {
        op->emitOpError("is left over from the shard program: run sharding-propagation, shard-partition and "
                        "convert-shard-to-mpi first; docs/mpi-dialect.md lists what they can lower");
        failedCheck = true;
      }
    });
    if (failedCheck)
      return signalPassFailure();
    for (shard::GridOp grid : grids)
      grid.erase();
    numGrids += grids.size();
  }
};
} // namespace
