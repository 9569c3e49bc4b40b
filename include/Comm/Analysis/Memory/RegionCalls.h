//===- RegionCalls.h - Calls that run parallel regions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_REGIONCALLS_H
#define COMM_ANALYSIS_MEMORY_REGIONCALLS_H

#include "mlir/IR/Operation.h"

namespace comm {

/// Whether the operation is a call of OpenMP's runtime that runs a parallel region, to its end.
bool isRegionCall(mlir::Operation *op);

/// What the region does that keeps communication from crossing it, as a remark says it; empty if only memory does, or
/// nothing is known.
llvm::StringRef getRegionObstacle(mlir::Operation *op);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_REGIONCALLS_H
