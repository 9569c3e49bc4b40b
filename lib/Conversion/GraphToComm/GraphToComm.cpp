//===- GraphToComm.cpp - Graph programs run on any number of processes ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "Emitter.h"

#include "Comm/Analysis/Graph/Accesses.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {
#define GEN_PASS_DEF_CONVERTGRAPHTOCOMM
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;

static bool haveNoMixedEdges(func::FuncOp function) {
  bool isGood = true;
  function.walk([&](graph::ForallOp loop) {
    std::optional<graph::Race> mixed = isGood ? graph::findMixedEdges(loop) : std::nullopt;
    if (!mixed)
      return;
    mixed->second.op->emitError(
        "changes an in-edge of the iteration's vertex and also accesses it in another way in the same forall, which "
        "the lowering of graph programs does not support: use two loops");
    isGood = false;
  });
  return isGood;
}

static bool hasNoRaces(func::FuncOp function) {
  WalkResult races = function.walk([&](graph::ForallOp loop) {
    std::optional<graph::Race> race = graph::findRace(loop);
    if (!race)
      return WalkResult::advance();
    race->second.op->emitError("takes part in a race: run graph-check-races for details");
    return WalkResult::interrupt();
  });
  return !races.wasInterrupted();
}

namespace {
struct ConvertGraphToComm : public comm::impl::ConvertGraphToCommBase<ConvertGraphToComm> {
  using ConvertGraphToCommBase::ConvertGraphToCommBase;

  void runOnOperation() override {
    const mpi::ABI *implementation = nullptr;
    if (exchange == GraphExchange::Window) {
      implementation = lookupABI(getABIName(abi, getOperation()), getOperation());
      if (!implementation)
        return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    // Recursive functions are not inlined.
    auto program = llvm::partition(functions, [](func::FuncOp each) { return each.getNoInline(); });
    auto numPrograms = functions.end() - program;
    if (numPrograms != 1) {
      getOperation().emitError()
          << "has " << numPrograms
          << " functions, but a graph program must be a single function: choose it with graph-select-function, and "
             "inline what it calls";
      return signalPassFailure();
    }
    if (!llvm::all_of(functions, [](func::FuncOp each) { return hasNoRaces(each) && haveNoMixedEdges(each); }))
      return signalPassFailure();
    Emitter emitter(getOperation(), exchange, implementation);
    auto called = ArrayRef(functions).drop_back();
    for (func::FuncOp each : called)
      emitter.declareCalled(each);
    if (!llvm::all_of(called, [&](func::FuncOp each) { return emitter.emitCalled(each); }) ||
        !emitter.emitProgram(*program))
      return signalPassFailure();
    numLoops += emitter.getNumLoops();
    numSweeps += emitter.getNumSweeps();
    for (func::FuncOp each : functions)
      each.erase();
  }
};
} // namespace
