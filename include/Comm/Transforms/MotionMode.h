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

/// Decides whether an interval is worthwhile.
enum class CostModel {
  /// A few statements suffice: shows what is legal.
  None,
  /// The estimated work that it can hide must exceed the measured extra cost of the nonblocking form
  /// (mpi::ABI::getFormCost).
  Measured
};

/// Whether loops may call MPI to let messages in flight progress.
enum class ProgressMode {
  Off,
  /// If a message may need it.
  Auto
};

} // namespace comm

#endif // COMM_TRANSFORMS_MOTIONMODE_H
