//===- MergeExits.h - One way out of a loop ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEEXITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEEXITS_H

#include "mlir/Analysis/CFGLoopInfo.h"

namespace comm {

/// Where a loop is left to two places that join later, it is left to one, which branches to the two: then what comes
/// before that branch and what comes after it are two units. Whether that was so; functions of the llvm dialect alone.
bool mergeExits(const mlir::CFGLoop &loop);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEEXITS_H
