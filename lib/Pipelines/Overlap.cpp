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
  if (options.mode != MotionMode::Off) {
    CommExpandPersistentOptions expand;
    expand.abi = options.abi;
    pm.addPass(createCommExpandPersistent(expand));
    pm.addPass(createRaiseMPIToComm(raise));
  }
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
    pm.nestAny().addPass(createCommIgnoreStatuses());
    CommPromoteRequestsOptions promote;
    promote.abi = options.abi;
    // Recalled starts would count as intervals in reports and checks.
    promote.record = !options.check && !options.report && options.profileGenerate.empty();
    pm.addPass(createCommPromoteRequests(promote));
    CommSplitBlockingOptions split;
    split.abi = options.abi;
    split.sums = options.sums;
    pm.addPass(createCommSplitBlocking(split));
    pm.nestAny().addPass(createCommIsolateLoops());
    if (options.mode == MotionMode::Extended) {
      pm.addPass(createCommAskLayouts());
      CommLeaveBranchesOptions leave;
      leave.relaxTimers = options.relaxTimers;
      leave.observers = options.observers;
      leave.sideChannels = options.sideChannels;
      leave.abi = options.abi;
      leave.keepsOwn = options.check || options.report || !options.profileGenerate.empty();
      pm.addPass(createCommLeaveBranches(leave));
      // Waits may now be next to other loops.
      pm.nestAny().addPass(createCommIsolateLoops());
      CommSplitIterationsOptions iterations;
      iterations.relaxTimers = options.relaxTimers;
      iterations.observers = options.observers;
      iterations.sideChannels = options.sideChannels;
      iterations.cost = options.cost;
      iterations.profile = options.profileUse;
      iterations.anyOrder = options.sums == mpi::SumOrder::Any;
      pm.addPass(createCommSplitIterations(iterations));
    }
    CommMoveSlicesOptions move;
    move.mode = options.mode;
    move.relaxTimers = options.relaxTimers;
    move.observers = options.observers;
    move.sideChannels = options.sideChannels;
    move.cost = options.cost;
    move.profile = options.profileUse;
    move.abi = options.abi;
    pm.addPass(createCommMoveSlices(move));
    if (options.mode == MotionMode::Extended)
      pm.nestAny().addPass(createCommReturnWaits());
    if (!options.report)
      pm.nestAny().addPass(createCommMergeUselessSplits());
  }
  bool isInstrumented = options.check || options.report || !options.profileGenerate.empty();
  if (options.mode == MotionMode::Extended && options.cost == CostModel::Measured && !isInstrumented) {
    CommPredictIntervalsOptions predict;
    predict.abi = options.abi;
    pm.addPass(createCommPredictIntervals(predict));
  }
  if (options.check)
    pm.addPass(createCommInstrumentChecks());
  if (options.report || !options.profileGenerate.empty()) {
    CommInstrumentIntervalsOptions instrument;
    instrument.all = !options.profileGenerate.empty();
    instrument.file = options.profileGenerate;
    pm.addPass(createCommInstrumentIntervals(instrument));
  }
  // Last, because it adds uses of requests other than waits.
  if (options.mode != MotionMode::Off && options.progress != ProgressMode::Off) {
    CommInsertProgressOptions progress;
    progress.abi = options.abi;
    progress.cost = options.cost;
    pm.addPass(createCommInsertProgress(progress));
  }
  if (options.mode != MotionMode::Off)
    pm.nestAny().addPass(createCommEraseRecalled());
  if (options.mode == MotionMode::Extended)
    pm.addPass(createCommOutlineBounds());
  if (!options.lower)
    return;
  ConvertCommToLLVMOptions lower;
  lower.abi = options.abi;
  pm.addPass(createConvertCommToLLVM(lower));
}

namespace {
struct OverlapPipelineOptions : public PassPipelineOptions<OverlapPipelineOptions> {
#define GEN_PIPELINE_OPTIONS
#include "Comm/Pipelines/Options.h.inc"
};
} // namespace

void comm::registerPipelines() {
  PassPipelineRegistration<OverlapPipelineOptions>("comm-overlap",
                                                   "Overlap the communication of a module with its computation",
                                                   [](OpPassManager &pm, const OverlapPipelineOptions &given) {
                                                     OverlapOptions options = given.get();
                                                     options.mayUseInstalled = true;
                                                     buildOverlapPipeline(pm, options);
                                                   });
}
