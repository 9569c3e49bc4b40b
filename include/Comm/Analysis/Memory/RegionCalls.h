//===- RegionCalls.h - Calls that run parallel regions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_REGIONCALLS_H
#define COMM_ANALYSIS_MEMORY_REGIONCALLS_H

#include "mlir/IR/Operation.h"

namespace comm {

/// Whether the operation calls OpenMP's runtime to run a parallel region to its end.
bool isRegionCall(mlir::Operation *op);

/// Describes, for a remark, what the region does that keeps communication from crossing it. Empty if only memory does,
/// or if nothing is known.
llvm::StringRef getRegionObstacle(mlir::Operation *op);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_REGIONCALLS_H
