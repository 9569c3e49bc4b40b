//===- LLVMAnalysisManagers.h - LLVM's analyses for a module ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_LLVMANALYSISMANAGERS_H
#define COMM_ANALYSIS_MEMORY_LLVMANALYSISMANAGERS_H

#include "llvm/Passes/PassBuilder.h"

namespace comm {

/// The four analysis managers of LLVM's passes. Outer ones are destroyed first, since they clear the inner ones.
struct LLVMAnalysisManagers {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  /// Registers the builder's analyses, except for those that are already registered.
  void registerAll(llvm::PassBuilder &builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_LLVMANALYSISMANAGERS_H
