//===- WholeEpochs.h - Keeping fences unduplicated --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMM_PLUGIN_WHOLEEPOCHS_H
#define COMM_TOOLS_COMM_PLUGIN_WHOLEEPOCHS_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// Prevents the optimizer from copying MPI calls that synchronize a window into branches, by marking them `convergent`
/// at the start of its pipeline. Otherwise jump threading would copy them if a possibly empty loop over processes
/// follows, and the two fences of an epoch could no longer be found. Used by -fcomm-detect.
class KeepEpochsWhole : public llvm::PassInfoMixin<KeepEpochsWhole> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Reverts KeepEpochsWhole.
void freeEpochs(llvm::Module &module);

} // namespace comm

#endif // COMM_TOOLS_COMM_PLUGIN_WHOLEEPOCHS_H
