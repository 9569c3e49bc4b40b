//===- ExitValues.cpp - Final values of counters --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter that continues from one packed face to the next (`buffer[n++]`) is live out of a loop. LLVM keeps it there
// if the loop uses it, but then the position of the next face depends on the loop.
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

/// Returns whether loops in `loop` belong to a nest that packs or unpacks, as opposed to being next to messages.
static bool isOfNest(const Loop *loop) {
  return loop && none_of(loop->blocks(), [](const BasicBlock *block) {
           return any_of(*block, [](const Instruction &instruction) { return getCalledMPIFunction(instruction); });
         });
}

namespace {
/// Computes the final values of counters from values known before their loops. Counters that continue through a nest of
/// loops need no rewriting (NestCounters.cpp).
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
  // The adaptor inserts a phi for each value that leaves a loop.
  passes.addPass(InstSimplifyPass());
  PreservedAnalyses preserved = passes.run(function, analyses);
  analyses.invalidate(function, preserved);
  // Simplify the expressions, e.g. `(rows + 1) - 1` to `rows`.
  if (isRewritten)
    preserved.intersect(InstCombinePass().run(function, analyses));
  analyses.invalidate(function, preserved);
  return !preserved.areAllPreserved();
}
