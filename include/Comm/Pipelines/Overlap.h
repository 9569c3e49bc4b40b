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

struct OverlapOptions {
  MotionMode mode = MotionMode::Extended;
  /// Measure overlap intervals at run time (comm/report.h); splits that overlap nothing stay, so that they are
  /// measured.
  bool report = false;
  /// Watch the buffers in flight at run time (comm/check.h).
  bool check = false;
  /// The name of the MPI implementation (mpi::ABI::all()); found out from the module if empty.
  std::string abi;
  /// Let communications cross readings of a clock.
  bool relaxTimers = false;
  /// What decides whether an interval is worth having.
  CostModel cost = CostModel::Measured;
  /// Which reductions of floating-point numbers may become nonblocking.
  mpi::SumOrder sums = mpi::SumOrder::Ordered;
  /// Where the program can see which of two messages was started first.
  Observers observers = Observers::Infer;
  /// Nobody looks at which of a start and a completion came first: a promise.
  bool startsAreUnseen = false;
  /// Without a name, and where the module's calls do not tell: the MPI that this machine has.
  bool mayUseInstalled = false;
  /// Convert to calls of MPI in the end. Else what comes out is comm.
  bool lower = true;
  /// Look for collectives in phases of point-to-point messages, ahead of time, by the runtime (comm/cdag.h), or both.
  DetectMode detect = DetectMode::Off;
};

/// From a module of the llvm dialect that calls MPI to one whose communication overlaps computation: raise, detect,
/// split, move, merge, instrument, lower. As text: `comm-overlap{mode=extended}`.
void buildOverlapPipeline(mlir::OpPassManager &pm, const OverlapOptions &options);

/// Registers the named pipelines of Comm.
void registerPipelines();

} // namespace comm

#endif // COMM_PIPELINES_OVERLAP_H
