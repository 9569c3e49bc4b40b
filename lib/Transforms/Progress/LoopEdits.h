//===- LoopEdits.h - Code in loops that lets MPI progress ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_PROGRESS_LOOPEDITS_H
#define COMM_LIB_TRANSFORMS_PROGRESS_LOOPEDITS_H

#include "LoopPlaces.h"

namespace comm {

/// A block of more iterations has no limit: the loop runs to its end.
inline constexpr int64_t kMostIterations = 1 << 20;

/// Runs the loop in blocks of iterations if `isNeeded` (an i1 defined before the loop) is true, and unchanged
/// otherwise. Blocks without a fixed size have the length (an i64) that `credit` contains when they begin. Returns the
/// block of the function that is executed between two blocks of iterations, for the caller to insert code at its
/// beginning.
mlir::Block *stripMine(const StripMine &strip, mlir::Value isNeeded, mlir::Value credit);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_PROGRESS_LOOPEDITS_H
