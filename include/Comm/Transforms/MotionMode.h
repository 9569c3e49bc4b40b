//===- MotionMode.h - How far code moves ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_MOTIONMODE_H
#define COMM_TRANSFORMS_MOTIONMODE_H

namespace comm {

/// Nguyen et al., section 5.2: `Basic` is the related work that they compare with, `Extended` their method.
enum class MotionMode { Off, Basic, Extended };

/// What decides whether an interval is worth having.
enum class CostModel {
  /// A few statements are enough: for looking at what is legal.
  None,
  /// What it can hide, estimated, exceeds what the nonblocking form costs more, measured (mpi::ABI::getFormCost).
  Measured
};

/// Whether MPI may be called in loops for messages under way to progress.
enum class ProgressMode {
  Off,
  /// Where a message may need it.
  Auto
};

} // namespace comm

#endif // COMM_TRANSFORMS_MOTIONMODE_H
