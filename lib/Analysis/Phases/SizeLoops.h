//===- SizeLoops.h - Loops that go on for as many steps as processes *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_PHASES_SIZELOOPS_H
#define COMM_LIB_ANALYSIS_PHASES_SIZELOOPS_H

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

namespace comm {

/// Whether a loop of the unit holds one of the messages and ends by what depends on the number of processes: the steps
/// of a ring, whose neighbors are always the same.
bool loopsBySize(const Unit &unit, llvm::ArrayRef<MPIOpInterface> messages);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_SIZELOOPS_H
