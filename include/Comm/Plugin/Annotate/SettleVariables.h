//===- SettleVariables.h - Before the last look at messages -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_SETTLEVARIABLES_H
#define COMM_PLUGIN_ANNOTATE_SETTLEVARIABLES_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// Computes what the optimizer could not compute before it had seen the whole file: what follows from variables that
/// became constants, and loads of variables that no pointer of the program leads to. Returns true if anything changed;
/// analyses are up to date then.
bool settleVariables(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// Computes what counters are after loops in front of these, where they are next to messages. Once loops over
/// messages are unrolled. Returns true if anything changed; analyses are up to date then.
bool computeExitValues(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_SETTLEVARIABLES_H
