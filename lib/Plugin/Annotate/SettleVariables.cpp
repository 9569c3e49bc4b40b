//===- SettleVariables.cpp - Late simplification --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang has just turned file-scope variables into constants (`static int columns`, set once), and nothing has
// simplified their uses since. It now also knows which variables no pointer of the program reaches, and thus that
// stores through pointers do not modify them.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/SettleVariables.h"

#include "Comm/Plugin/Annotate/Annotate.h"

#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SCCP.h"

using namespace llvm;
using namespace comm;

bool comm::settleVariables(Function &function, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
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
