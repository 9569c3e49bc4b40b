//===- GraphToComm.cpp - Graph programs run on any number of processes ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "Emitter.h"

#include "Comm/Analysis/Graph/Accesses.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {
#define GEN_PASS_DEF_CONVERTGRAPHTOCOMM
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;

namespace {
struct ConvertGraphToComm : public comm::impl::ConvertGraphToCommBase<ConvertGraphToComm> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    if (functions.size() != 1) {
      getOperation().emitError() << "has " << functions.size()
                                 << " functions, and a graph program is one: choose it with graph-select-function, and "
                                    "inline what it calls";
      return signalPassFailure();
    }
    WalkResult races = functions.front().walk([&](graph::ForallOp loop) {
      std::optional<graph::Race> race = graph::findRace(loop);
      if (!race)
        return WalkResult::advance();
      race->second.op->emitError("takes part in a race: run graph-check-races, which has more");
      return WalkResult::interrupt();
    });
    if (races.wasInterrupted())
      return signalPassFailure();
    Emitter emitter(getOperation());
    if (!emitter.emitProgram(functions.front()))
      return signalPassFailure();
    numLoops += emitter.getNumLoops();
    numSweeps += emitter.getNumSweeps();
    functions.front().erase();
  }
};
} // namespace
