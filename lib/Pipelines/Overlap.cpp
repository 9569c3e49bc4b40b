//===- Overlap.cpp - The pipeline that overlaps communication --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Pipelines/Overlap.h"

#include "Comm/Conversion/Passes.h"
#include "Comm/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void comm::buildOverlapPipeline(OpPassManager &pm, const OverlapOptions &options) {
  RaiseMPIToCommOptions raise;
  raise.abi = options.abi;
  pm.addPass(createRaiseMPIToComm(raise));
  if (options.abi.empty() && options.mayUseInstalled)
    pm.addPass(createCommChooseABI());
  if (options.detect != DetectMode::Off) {
    CommFormCDagOptions form;
    form.abi = options.abi;
    form.provable = options.detect == DetectMode::Ahead;
    pm.addPass(createCommFormCDag(form));
    if (options.detect != DetectMode::RunTime) {
      CommDetectCollectivesOptions detect;
      detect.abi = options.abi;
      pm.addPass(createCommDetectCollectives(detect));
    }
    CommCDagToRuntimeOptions graphs;
    graphs.abi = options.abi;
    pm.addPass(createCommCDagToRuntime(graphs));
  }
  if (options.mode != MotionMode::Off) {
    if (options.mode == MotionMode::Extended) {
      CommPromoteRequestsOptions promote;
      promote.abi = options.abi;
      pm.addPass(createCommPromoteRequests(promote));
    }
    CommSplitBlockingOptions split;
    split.abi = options.abi;
    split.sums = options.sums;
    pm.addPass(createCommSplitBlocking(split));
    pm.addPass(createCommIsolateLoops());
    if (options.mode == MotionMode::Extended) {
      CommSplitIterationsOptions iterations;
      iterations.relaxTimers = options.relaxTimers;
      iterations.observers = options.observers;
      iterations.startsAreUnseen = options.startsAreUnseen;
      pm.addPass(createCommSplitIterations(iterations));
    }
    CommMoveSlicesOptions move;
    move.mode = options.mode;
    move.relaxTimers = options.relaxTimers;
    move.observers = options.observers;
    move.startsAreUnseen = options.startsAreUnseen;
    move.cost = options.cost;
    move.abi = options.abi;
    pm.addPass(createCommMoveSlices(move));
    if (!options.report)
      pm.addPass(createCommMergeUselessSplits());
  }
  if (options.check)
    pm.addPass(createCommInstrumentChecks());
  if (options.report)
    pm.addPass(createCommInstrumentIntervals());
  if (!options.lower)
    return;
  ConvertCommToLLVMOptions lower;
  lower.abi = options.abi;
  pm.addPass(createConvertCommToLLVM(lower));
}

namespace {
struct OverlapPipelineOptions : public PassPipelineOptions<OverlapPipelineOptions> {
  Option<comm::MotionMode> mode{
      *this, "mode", llvm::cl::desc("how far code moves"), llvm::cl::init(comm::MotionMode::Extended),
      llvm::cl::values(clEnumValN(comm::MotionMode::Off, "off", "raise and lower only"),
                       clEnumValN(comm::MotionMode::Basic, "basic", "to the nearest dependence"),
                       clEnumValN(comm::MotionMode::Extended, "extended", "dependences move too"))};
  Option<bool> report{*this, "report", llvm::cl::desc("measure overlap intervals at run time"), llvm::cl::init(false)};
  Option<bool> check{*this, "check", llvm::cl::desc("watch the buffers in flight"), llvm::cl::init(false)};
  Option<bool> relaxTimers{*this, "relax-timers", llvm::cl::desc("let communications cross readings of a clock"),
                           llvm::cl::init(false)};
  Option<comm::Observers> observers{
      *this, "observers", llvm::cl::desc("where the program can see which message was started first"),
      llvm::cl::init(comm::Observers::Infer),
      llvm::cl::values(clEnumValN(comm::Observers::Infer, "infer", "what the module shows"),
                       clEnumValN(comm::Observers::Never, "never", "nowhere"),
                       clEnumValN(comm::Observers::Elsewhere, "elsewhere", "not in this module: asked at run time"),
                       clEnumValN(comm::Observers::Here, "here", "in this module"))};
  Option<bool> startsAreUnseen{*this, "starts-are-unseen",
                               llvm::cl::desc("nobody looks at which of a start and a completion came first"),
                               llvm::cl::init(false)};
  Option<comm::CostModel> cost{
      *this, "cost", llvm::cl::desc("what decides whether an interval is worth having"),
      llvm::cl::init(comm::CostModel::Measured),
      llvm::cl::values(clEnumValN(comm::CostModel::None, "none", "a few statements are"),
                       clEnumValN(comm::CostModel::Measured, "measured", "what it hides against what the form costs"))};
  Option<comm::mpi::SumOrder> sums{
      *this, "sums", llvm::cl::desc("floating-point sums that may become nonblocking"),
      llvm::cl::init(comm::mpi::SumOrder::Ordered),
      llvm::cl::values(clEnumValN(comm::mpi::SumOrder::Exact, "exact", "none"),
                       clEnumValN(comm::mpi::SumOrder::Ordered, "ordered", "those that both forms add in one order"),
                       clEnumValN(comm::mpi::SumOrder::Any, "any", "all"))};
  Option<comm::DetectMode> detect{
      *this, "detect", llvm::cl::desc("collectives in point-to-point messages"), llvm::cl::init(comm::DetectMode::Off),
      llvm::cl::values(
          clEnumValN(comm::DetectMode::Off, "off", "do not look for them"),
          clEnumValN(comm::DetectMode::Ahead, "ahead", "those that are proved"),
          clEnumValN(comm::DetectMode::RunTime, "run-time", "let the runtime look for them"),
          clEnumValN(comm::DetectMode::All, "all", "those that are proved, and the runtime for the rest"))};
  Option<std::string> abi{*this, "abi", llvm::cl::desc("the MPI implementation; found out if empty"),
                          llvm::cl::init("")};
  Option<bool> lower{*this, "lower", llvm::cl::desc("convert to calls of MPI in the end; else comm comes out"),
                     llvm::cl::init(true)};
};
} // namespace

void comm::registerPipelines() {
  PassPipelineRegistration<OverlapPipelineOptions>("comm-overlap",
                                                   "Overlap the communication of a module with its computation",
                                                   [](OpPassManager &pm, const OverlapPipelineOptions &given) {
                                                     OverlapOptions options;
                                                     options.mode = given.mode;
                                                     options.report = given.report;
                                                     options.check = given.check;
                                                     options.relaxTimers = given.relaxTimers;
                                                     options.sums = given.sums;
                                                     options.observers = given.observers;
                                                     options.startsAreUnseen = given.startsAreUnseen;
                                                     options.cost = given.cost;
                                                     options.detect = given.detect;
                                                     options.abi = given.abi;
                                                     options.mayUseInstalled = true;
                                                     options.lower = given.lower;
                                                     buildOverlapPipeline(pm, options);
                                                   });
}
