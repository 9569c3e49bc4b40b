//===- MergeTwins.h - One value where there are two of it ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_MERGETWINS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_MERGETWINS_H

#include "mlir/IR/Region.h"

namespace comm {

/// A variable whose address is taken may be carried by a loop twice, as what is computed with and as what is stored
/// after the loop. Makes such values one: arguments of a loop's header that begin with one value and stay equal; and
/// drops arguments that nobody uses.
void mergeTwins(mlir::Region &region);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_MERGETWINS_H
