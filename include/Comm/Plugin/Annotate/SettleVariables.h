//===- SettleVariables.h - Late simplification ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_SETTLEVARIABLES_H
#define COMM_PLUGIN_ANNOTATE_SETTLEVARIABLES_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// Simplifies what the optimizer could not simplify before it had seen the whole file: expressions of variables that
/// turned out to be constant, and loads of variables that no pointer of the program reaches. Returns true if anything
/// changed; analyses are up to date afterwards.
bool settleVariables(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// Computes the final values of counters before their loops, where the loops are next to messages. Run it after
/// loops over messages have been unrolled. Returns true if anything changed; analyses are up to date afterwards.
bool computeExitValues(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_SETTLEVARIABLES_H
