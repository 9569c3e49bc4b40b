//===- LoadPipeline.h - The library with MLIR -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_PLUGIN_LOADPIPELINE_H
#define COMM_TOOLS_PLUGIN_LOADPIPELINE_H

#include "llvm/Support/Error.h"

namespace comm {
struct Extract;
struct OverlapOptions;
struct RoundTripResult;

/// Runs the overlap pipeline on an extract in this process (`roundTrip`).
using RunPipeline = void(Extract &extract, const OverlapOptions &options, RoundTripResult &result);

/// The name by which libCommPipeline.so exports a RunPipeline. It has the version, so that libraries of two
/// installations do not meet.
#define COMM_RUN_PIPELINE "comm_run_pipeline_" COMM_VERSION

/// Loads libCommPipeline.so from the folder of this plugin, or returns an error that says what is missing.
llvm::Expected<RunPipeline *> loadPipeline();

} // namespace comm

#endif // COMM_TOOLS_PLUGIN_LOADPIPELINE_H
