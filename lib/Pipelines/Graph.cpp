//===- Graph.cpp - The pipeline of graph programs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Pipelines/Graph.h"

#include "Comm/Conversion/Passes.h"
#include "Comm/Transforms/Graph/Passes.h"
#include "Comm/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void comm::buildGraphPipeline(OpPassManager &pm, const GraphOptions &options) {
  // All passes run on the module: the effects of a loop depend on the functions that it calls, which no other thread
  // may modify at the same time.
  GraphSelectFunctionOptions select;
  select.function = options.function;
  pm.addPass(createGraphSelectFunction(select));
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  GraphCheckRacesOptions races;
  races.serialize = options.serialize;
  pm.addPass(createGraphCheckRaces(races));
  pm.addPass(createGraphKeepCompanions());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
#define GRAPH_TRANSFORM(name, pass, summary)                                                                           \
  if (options.name)                                                                                                    \
    pm.addPass(create##pass());
#define GRAPH_OVERLAP(name, pass, summary)                                                                             \
  if (options.overlap && options.name)                                                                                 \
    pm.addPass(create##pass());
#include "Comm/Pipelines/GraphTransforms.def"
  ConvertGraphToCommOptions convert;
  convert.exchange = options.exchange;
  convert.abi = options.abi;
  pm.addPass(createConvertGraphToComm(convert));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // The rest is in the comm and llvm dialects and goes through the same passes as any other program.
  if (options.overlap) {
    CommSplitBlockingOptions split;
    split.abi = options.abi;
    pm.addPass(createCommSplitBlocking(split));
    pm.addPass(createCommIsolateLoops());
    CommMoveSlicesOptions move;
    move.mode = MotionMode::Extended;
    // The runtime has already decided that overlap pays off.
    move.cost = CostModel::None;
    move.abi = options.abi;
    pm.addPass(createCommMoveSlices(move));
    pm.addPass(createCommMergeUselessSplits());
    CommInsertProgressOptions progress;
    progress.abi = options.abi;
    pm.addPass(createCommInsertProgress(progress));
  }
  ConvertCommToLLVMOptions lower;
  lower.abi = options.abi;
  pm.addPass(createConvertCommToLLVM(lower));
}

namespace {
struct GraphPipelineOptions : public PassPipelineOptions<GraphPipelineOptions> {
  Option<std::string> function{*this, "function", llvm::cl::desc("the function that is the program"),
                               llvm::cl::init("")};
  Option<std::string> abi{*this, "abi", llvm::cl::desc("the MPI implementation"), llvm::cl::init("")};
  Option<bool> serialize{*this, "serialize", llvm::cl::desc("let foralls with races run in order"),
                         llvm::cl::init(false)};
#define GRAPH_TRANSFORM(name, pass, summary)                                                                           \
  Option<bool> name{*this, #name, llvm::cl::desc(summary), llvm::cl::init(true)};
#define GRAPH_OVERLAP GRAPH_TRANSFORM
#include "Comm/Pipelines/GraphTransforms.def"
  Option<bool> overlap{*this, "overlap", llvm::cl::desc("compute while values of other processes travel"),
                       llvm::cl::init(false)};
  Option<comm::GraphExchange> exchange{
      *this, "exchange", llvm::cl::desc("how overlapped loops exchange ghosts and updates"),
      llvm::cl::init(comm::GraphExchange::Messages),
      llvm::cl::values(clEnumValN(comm::GraphExchange::Messages, "messages", "all-to-all messages"),
                       clEnumValN(comm::GraphExchange::Window, "window", "puts into a window"))};
};
} // namespace

void comm::registerGraphPipeline() {
  PassPipelineRegistration<GraphPipelineOptions>(
      "graph-to-llvm", "Lower a graph program to the llvm dialect, for any number of processes",
      [](OpPassManager &pm, const GraphPipelineOptions &given) {
        GraphOptions options;
        options.function = given.function;
        options.abi = given.abi;
        options.serialize = given.serialize;
#define GRAPH_TRANSFORM(name, pass, summary) options.name = given.name;
#define GRAPH_OVERLAP GRAPH_TRANSFORM
#include "Comm/Pipelines/GraphTransforms.def"
        options.overlap = given.overlap;
        options.exchange = given.exchange;
        buildGraphPipeline(pm, options);
      });
}
