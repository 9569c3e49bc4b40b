//===- MergeBypasses.h - Redirect paths that bypass a test ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (left != MPI_PROC_NULL) for (i < n) unpack;
//   for (i < n) stencil;
//
// If the first loop has run, n > 0 is known, and optimizers make its end bypass the guard of the second loop. If its
// guard has found that there is nothing to unpack, control bypasses both loops. Then the two loops are one piece of
// control flow, which waits as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEBYPASSES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEBYPASSES_H

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Region.h"

namespace comm {

/// Redirects the first path that bypasses one of the branches that end `blocks` to that branch, whose condition is
/// known on the path. Returns true if there was such a path; then `dominance`, of the region as it was, is stale.
bool mergeBypass(llvm::ArrayRef<mlir::Block *> blocks, mlir::DominanceInfo &dominance);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEBYPASSES_H
