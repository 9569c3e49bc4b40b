//===- MergeTwins.h - Merge loop variables that stay equal ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_MERGETWINS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_MERGETWINS_H

#include "mlir/IR/Region.h"

namespace comm {

/// Merges arguments of a loop's header that begin with the same value and stay equal, and drops unused arguments. A
/// loop may carry a variable whose address is taken twice: once to compute with and once for the store after the loop.
void mergeTwins(mlir::Region &region);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_MERGETWINS_H
