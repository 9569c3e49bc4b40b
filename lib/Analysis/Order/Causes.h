//===- Causes.h - Whether a start may come before a completion ----*- C++ -*-===//
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

/// When the start, which comes after the completion, must stay there, because of what it tells other processes of the
/// completion's causes; what the completion waits for and the order of memory are other rules. `completed`: the starts
/// of what is over then; `areMany`: each may stand for several executions, with other operands.
Condition mustStartAfter(MPIOpInterface start, llvm::ArrayRef<MPIOpInterface> completed, bool areMany,
                         Observers observers, SideChannels sideChannels);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_ORDER_CAUSES_H
