//===- SizeLoops.h - Loops over the number of processes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_PHASES_SIZELOOPS_H
#define COMM_LIB_ANALYSIS_PHASES_SIZELOOPS_H

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

namespace comm {

/// Whether a loop of the unit contains one of the messages and has an exit condition that depends on the number of
/// processes: the steps of a ring, in which each process always has the same neighbors.
bool loopsBySize(const Unit &unit, llvm::ArrayRef<MPIOpInterface> messages);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_SIZELOOPS_H
