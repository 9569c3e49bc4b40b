//===- Pipeline.cpp - The passes that the plugin loads --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadPipeline.h"

#include "Comm/InitAll.h"
#include "Comm/Pipelines/Overlap.h"
#include "Comm/Plugin/RoundTrip/RoundTrip.h"

#include "mlir/Pass/PassManager.h"

/// See RunPipeline.
__attribute__((visibility("default"))) void runPipeline(comm::Extract &extract, const comm::OverlapOptions &options,
                                                        comm::RoundTripResult &result) asm(COMM_RUN_PIPELINE);

void runPipeline(comm::Extract &extract, const comm::OverlapOptions &options, comm::RoundTripResult &result) {
  auto build = [&](mlir::OpPassManager &passes) { comm::buildOverlapPipeline(passes, options); };
  result = comm::roundTrip(extract, {comm::registerDialectsForLLVM, build});
}
