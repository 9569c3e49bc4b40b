//===- MergeBypasses.h - A question that one way was led past ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (left != MPI_PROC_NULL) for (i < n) unpack;
//   for (i < n) stencil;
//
// Where the first loop has run, n > 0 is known, and optimizers lead control from its end past the guard of the second
// one; and where its guard has found that there is nothing to unpack, past both loops. Then the two loops are one piece
// of control flow, which waits as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEBYPASSES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEBYPASSES_H

#include "mlir/IR/Region.h"

namespace comm {

/// Leads the first way past a branch, of those that end in `blocks`, to that branch: what it asks is known there.
/// Whether there was one.
bool mergeBypass(llvm::ArrayRef<mlir::Block *> blocks);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_MERGEBYPASSES_H
