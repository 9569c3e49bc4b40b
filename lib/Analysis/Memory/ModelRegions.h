//===- ModelRegions.h - Calls of OpenMP's runtime, for LLVM ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_MODELREGIONS_H
#define COMM_LIB_ANALYSIS_MEMORY_MODELREGIONS_H

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Analysis/Memory/LLVMModel.h"

namespace comm {

/// Replaces the calls of the model that run parallel regions, or functions with such, by calls that LLVM's alias
/// analysis understands: their arguments are all that they touch. Says what the runtime's other functions touch.
/// `summaries` are of the model's functions. Before anything is analyzed.
void describeRegions(LLVMModel &model, const FunctionSummaries &summaries);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_MODELREGIONS_H
