//===- WholeEpochs.cpp - Keeping fences unduplicated ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeEpochs.h"

#include "Options.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/IR/Module.h"

using namespace llvm;

/// Whether the function has a window and no buffer: fences, locks, posts and waits.
static bool synchronizesWindow(const Function &function) {
  const comm::mpi::Function *known = comm::getMPIFunction(function);
  return known && known->isOneSided() &&
         none_of(known->params(), [](const comm::mpi::Param &param) { return param.role == comm::mpi::Role::Buffer; });
}

PreservedAnalyses comm::KeepEpochsWhole::run(Module &module, ModuleAnalysisManager &) {
  Expected<PluginOptions> options = readPluginOptions();
  if (!options) {
    consumeError(options.takeError()); // reported later, once
    return PreservedAnalyses::all();
  }
  if (options->overlap.detect != DetectMode::Off)
    for (Function &function : module)
      if (synchronizesWindow(function))
        function.setConvergent();
  return PreservedAnalyses::all();
}

void comm::freeEpochs(Module &module) {
  for (Function &function : module)
    if (synchronizesWindow(function))
      function.setNotConvergent();
}
