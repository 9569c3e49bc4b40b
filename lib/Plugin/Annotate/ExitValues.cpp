//===- ExitValues.cpp - What counters are after loops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter that goes on from one packed face to the next one (`buffer[n++]`) is what a loop has counted. LLVM keeps
// it so where the loop uses it; but then whoever wants to know the place of the next face has to wait for the loop.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/SettleVariables.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace comm;

/// Whether loops in that loop are parts of a nest that packs or unpacks, rather than next to messages.
static bool isOfNest(const Loop *loop) {
  return loop && none_of(loop->blocks(), [](const BasicBlock *block) {
           return any_of(*block, [](const Instruction &instruction) { return getCalledMPIFunction(instruction); });
         });
}

namespace {
/// What counters are after loops, computed from what is known before the loops. What goes on through a nest of loops
/// is known as it is (NestCounters.cpp).
struct ExitValuesPass : PassInfoMixin<ExitValuesPass> {
  explicit ExitValuesPass(bool &isRewritten) : isRewritten(isRewritten) {}
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results, LPMUpdater &) {
    if (isOfNest(loop.getParentLoop()))
      return PreservedAnalyses::all();
    SCEVExpander expander(results.SE, "exit");
    SmallVector<WeakTrackingVH, 16> dead;
    if (rewriteLoopExitValues(&loop, &results.LI, &results.TLI, &results.SE, &results.TTI, expander, &results.DT,
                              AlwaysRepl, dead) == 0)
      return PreservedAnalyses::all();
    isRewritten = true;
    PreservedAnalyses preserved = getLoopPassPreservedAnalyses();
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }

  bool &isRewritten;
};
} // namespace

bool comm::computeExitValues(Function &function, FunctionAnalysisManager &analyses) {
  bool isRewritten = false;
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(ExitValuesPass(isRewritten)));
  // The adaptor makes a phi of each value that leaves a loop.
  passes.addPass(InstSimplifyPass());
  PreservedAnalyses preserved = passes.run(function, analyses);
  analyses.invalidate(function, preserved);
  // The number of rows, and not what is left of one more.
  if (isRewritten)
    preserved.intersect(InstCombinePass().run(function, analyses));
  analyses.invalidate(function, preserved);
  return !preserved.areAllPreserved();
}
