//===- WholeEpochs.h - Fences are kept in one place ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMM_PLUGIN_WHOLEEPOCHS_H
#define COMM_TOOLS_COMM_PLUGIN_WHOLEEPOCHS_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// From the start of the optimizer's pipeline on, its passes do not copy calls of MPI that synchronize a window into
/// the arms of a branch (they are `convergent`): jump threading would, where a loop over processes follows that may be
/// empty, and the two fences of an epoch would no longer be found as two. Asked for by -fcomm-detect.
class KeepEpochsWhole : public llvm::PassInfoMixin<KeepEpochsWhole> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Ends what KeepEpochsWhole began.
void freeEpochs(llvm::Module &module);

} // namespace comm

#endif // COMM_TOOLS_COMM_PLUGIN_WHOLEEPOCHS_H
