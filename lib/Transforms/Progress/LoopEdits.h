//===- LoopEdits.h - Code in loops that lets MPI progress ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_PROGRESS_LOOPEDITS_H
#define COMM_LIB_TRANSFORMS_PROGRESS_LOOPEDITS_H

#include "LoopPlaces.h"

namespace comm {

/// Blocks of more iterations are none: the loop runs to its end.
inline constexpr int64_t kMostIterations = 1 << 20;

/// Runs the loop in blocks of iterations where `isNeeded` (an i1 that is defined before the loop) is true, and as it
/// was where it is false. If blocks have no fixed size, it is the number (an i64) in `credit` whenever a block begins.
/// Returns the block of the function that is executed between two blocks of iterations, for code to be put at its
/// beginning.
mlir::Block *stripMine(const StripMine &strip, mlir::Value isNeeded, mlir::Value credit);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_PROGRESS_LOOPEDITS_H
