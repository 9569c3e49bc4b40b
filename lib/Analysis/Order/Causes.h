//===- Causes.h - Causal order of starts ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_ORDER_CAUSES_H
#define COMM_LIB_ANALYSIS_ORDER_CAUSES_H

#include "Comm/Analysis/Order/Condition.h"
#include "Comm/Analysis/Order/Observers.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"

namespace comm {

/// Returns the condition under which the start, which comes after the completion, must stay there, because of what it
/// tells other processes about the completion's causes. Other rules cover what the completion waits for and the order
/// of memory accesses. `completed`: the starts that the completion completes. `areMany`: each may stand for several
/// executions, with different operands.
Condition mustStartAfter(MPIOpInterface start, llvm::ArrayRef<MPIOpInterface> completed, bool areMany,
                         Observers observers, SideChannels sideChannels);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_ORDER_CAUSES_H
