//===- Graph.cpp - The pipeline of graph programs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Pipelines/Graph.h"

#include "Comm/Conversion/Passes.h"
#include "Comm/Transforms/Graph/Passes.h"
#include "Comm/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void comm::buildGraphPipeline(OpPassManager &pm, const GraphOptions &options) {
  GraphSelectFunctionOptions select;
  select.function = options.function;
  pm.addPass(createGraphSelectFunction(select));
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createGraphCheckRaces());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.reorder)
    pm.addPass(createGraphReorderNeighborhoods());
  if (options.frontiers)
    pm.addPass(createGraphTrackFrontiers());
  if (options.terms) {
    pm.addPass(createGraphShareTerms());
    pm.addPass(createCanonicalizerPass());
  }
  if (options.tiles)
    pm.addPass(createGraphTileGathers());
  if (options.degrees)
    pm.addPass(createGraphOrderByDegree());
  if (options.overlap)
    pm.addPass(createGraphOverlapGathers());
  if (options.aggregate)
    pm.addPass(createGraphAggregatePulses());
  if (options.priority)
    pm.addPass(createGraphOrderByPriority());
  if (options.direction)
    pm.addPass(createGraphChooseDirection());
  if (options.join)
    pm.addPass(createGraphJoinCopies());
  pm.addPass(createConvertGraphToComm());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // What is left is of the comm and llvm dialects, which the passes of any other program take.
  if (options.overlap) {
    CommSplitBlockingOptions split;
    split.abi = options.abi;
    pm.addPass(createCommSplitBlocking(split));
    pm.addPass(createCommIsolateLoops());
    CommMoveSlicesOptions move;
    move.mode = MotionMode::Extended;
    // The runtime has asked whether messages travel.
    move.cost = CostModel::None;
    move.abi = options.abi;
    pm.addPass(createCommMoveSlices(move));
    pm.addPass(createCommMergeUselessSplits());
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
  Option<bool> reorder{*this, "reorder", llvm::cl::desc("take edges from the loops that have them"),
                       llvm::cl::init(true)};
  Option<bool> frontiers{*this, "frontiers", llvm::cl::desc("let filters visit what is true"), llvm::cl::init(true)};
  Option<bool> aggregate{*this, "aggregate", llvm::cl::desc("let processes go on by themselves in fixed points"),
                         llvm::cl::init(true)};
  Option<bool> priority{*this, "priority", llvm::cl::desc("let the best values come first"), llvm::cl::init(true)};
  Option<bool> direction{*this, "direction", llvm::cl::desc("let many that changed be looked for"),
                         llvm::cl::init(true)};
  Option<bool> terms{*this, "terms", llvm::cl::desc("compute what all edges of a vertex share once"),
                     llvm::cl::init(true)};
  Option<bool> tiles{*this, "tiles", llvm::cl::desc("gather values of neighbors in tiles"), llvm::cl::init(true)};
  Option<bool> degrees{*this, "degrees", llvm::cl::desc("visit triangles in the order of numbers of edges"),
                       llvm::cl::init(true)};
  Option<bool> overlap{*this, "overlap", llvm::cl::desc("gather from own vertices while ghosts travel"),
                       llvm::cl::init(false)};
  Option<bool> join{*this, "join", llvm::cl::desc("join vertices that copy values"), llvm::cl::init(true)};
};
} // namespace

void comm::registerGraphPipeline() {
  PassPipelineRegistration<GraphPipelineOptions>(
      "graph-to-llvm", "Lower a graph program to the llvm dialect, for any number of processes",
      [](OpPassManager &pm, const GraphPipelineOptions &given) {
        GraphOptions options;
        options.function = given.function;
        options.abi = given.abi;
        options.reorder = given.reorder;
        options.frontiers = given.frontiers;
        options.aggregate = given.aggregate;
        options.priority = given.priority;
        options.direction = given.direction;
        options.join = given.join;
        options.terms = given.terms;
        options.tiles = given.tiles;
        options.degrees = given.degrees;
        options.overlap = given.overlap;
        buildGraphPipeline(pm, options);
      });
}
