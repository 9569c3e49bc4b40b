//===- SettleVariables.cpp - Before the last look at messages -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang has just made constants of variables at file scope (`static int columns`, set once), and nothing has looked at
// what is computed from them since; and it knows now which variables no pointer of the program leads to, so that what
// is stored by pointers leaves what has been loaded from them as it is.
//
// A counter that goes on from one packed face to the next one (`buffer[n++]`) is what a loop leaves behind. LLVM keeps
// it so where the loop uses it; but then whoever wants to know the place of the next face has to wait for the loop.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/SettleVariables.h"

#include "Comm/Plugin/Annotate/Annotate.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SCCP.h"
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
/// Numbers that loops leave behind, computed from what is known before the loops. What goes on through a nest of loops
/// is known as it is (NestCounters.cpp).
struct ExitValuesPass : PassInfoMixin<ExitValuesPass> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results, LPMUpdater &) {
    if (isOfNest(loop.getParentLoop()))
      return PreservedAnalyses::all();
    SCEVExpander expander(results.SE, "exit");
    SmallVector<WeakTrackingVH, 16> dead;
    if (rewriteLoopExitValues(&loop, &results.LI, &results.TLI, &results.SE, &results.TTI, expander, &results.DT,
                              AlwaysRepl, dead) == 0)
      return PreservedAnalyses::all();
    PreservedAnalyses preserved = getLoopPassPreservedAnalyses();
    preserved.preserveSet<CFGAnalyses>();
    preserved.preserve<MemorySSAAnalysis>();
    return preserved;
  }
};
} // namespace

bool comm::settleVariables(Function &function, FunctionAnalysisManager &analyses) {
  LoopPassManager loops;
  loops.addPass(LICMPass(LICMOptions()));
  loops.addPass(ExitValuesPass());
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  passes.addPass(GVNPass(GVNOptions().setPRE(false).setLoadPRE(false)));
  passes.addPass(SCCPPass());
  passes.addPass(InstSimplifyPass());
  PreservedAnalyses preserved = passes.run(function, analyses);
  analyses.invalidate(function, preserved);
  bool changed = !preserved.areAllPreserved();
  if (leadDefaultsToCases(function)) {
    analyses.invalidate(function, PreservedAnalyses::none());
    changed = true;
  }
  return changed;
}
