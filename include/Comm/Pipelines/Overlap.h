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

/// Those of lib/Pipelines/options.json that say `pipeline`.
struct OverlapOptions {
#define GEN_OVERLAP_MEMBERS
#include "Comm/Pipelines/Options.h.inc"
  /// Where abi is empty and the module's calls do not tell: the MPI that this machine has.
  bool mayUseInstalled = false;
};

/// From a module of the llvm dialect that calls MPI to one whose communication overlaps computation: raise, detect,
/// split, move, merge, instrument, lower. As text: `comm-overlap{mode=extended}`.
void buildOverlapPipeline(mlir::OpPassManager &pm, const OverlapOptions &options);

/// Registers the named pipelines of Comm.
void registerPipelines();

} // namespace comm

#endif // COMM_PIPELINES_OVERLAP_H
