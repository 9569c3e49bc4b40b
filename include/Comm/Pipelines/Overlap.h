//===- Overlap.h - The pipeline that overlaps communication --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PIPELINES_OVERLAP_H
#define COMM_PIPELINES_OVERLAP_H

#include "Comm/Analysis/Order/Observers.h"
#include "Comm/MPI/Sums.h"
#include "Comm/Transforms/DetectMode.h"
#include "Comm/Transforms/MotionMode.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace comm {

/// The options in lib/Pipelines/options.json that are marked `pipeline`.
struct OverlapOptions {
#define GEN_OVERLAP_MEMBERS
#include "Comm/Pipelines/Options.h.inc"
  /// Fall back on the installed MPI if abi is empty and the module's calls do not determine it.
  bool mayUseInstalled = false;
};

/// Builds a pipeline that overlaps the MPI communication of an llvm dialect module with computation: raise, detect,
/// split, move, merge, instrument, lower. In text form: `comm-overlap{mode=extended}`.
void buildOverlapPipeline(mlir::OpPassManager &pm, const OverlapOptions &options);

/// Registers Comm's named pipelines.
void registerPipelines();

} // namespace comm

#endif // COMM_PIPELINES_OVERLAP_H
