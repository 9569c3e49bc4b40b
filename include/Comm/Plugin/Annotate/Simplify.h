//===- Simplify.h - Simplify a function with changed loops ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_SIMPLIFY_H
#define COMM_PLUGIN_ANNOTATE_SIMPLIFY_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// Runs the passes on the function, and then those that make values of variables, fold constants and drop branches that
/// are never taken. Updates the analyses.
void runAndSimplify(llvm::FunctionPassManager passes, llvm::Function &function,
                    llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_SIMPLIFY_H
