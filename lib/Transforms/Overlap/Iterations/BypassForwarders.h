//===- BypassForwarders.h - Blocks that only pass values on -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_BYPASSFORWARDERS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_BYPASSFORWARDERS_H

#include "mlir/IR/Region.h"

namespace comm {

/// In branches with loops next to waits, lets edges to a block that only passes its arguments on lead to its successor.
/// In `if (rows > 0) if (columns > 0) { loop }` the inner branch has an end of its own, and the total of the loop meets
/// that of the way around it there and again where the outer branch ends. Afterwards it is handed over once.
void bypassForwarders(mlir::Region &body);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_BYPASSFORWARDERS_H
