//===- MergeExits.h - Merge the exits of a loop -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEEXITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEEXITS_H

#include "mlir/Analysis/CFGLoopInfo.h"

namespace comm {

/// If a loop has two exits that join later, gives it one exit that branches to the two, so that the code before and
/// after that branch forms two units. Returns true if it has done so. Only for functions of the llvm dialect.
bool mergeExits(const mlir::CFGLoop &loop);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEEXITS_H
