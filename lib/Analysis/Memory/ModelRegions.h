//===- ModelRegions.h - Effects of OpenMP's runtime, for LLVM ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_MODELREGIONS_H
#define COMM_LIB_ANALYSIS_MEMORY_MODELREGIONS_H

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Analysis/Memory/LLVMModel.h"

namespace comm {

/// Replaces the model's calls that run parallel regions, or functions that contain them, with calls that LLVM's alias
/// analysis understands: they touch only their arguments. Also restricts the effects of the runtime's other functions.
/// `summaries` are those of the model's functions. Must run before any analysis.
void describeRegions(LLVMModel &model, const FunctionSummaries &summaries);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_MODELREGIONS_H
