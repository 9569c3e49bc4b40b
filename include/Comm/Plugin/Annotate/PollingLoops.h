//===- PollingLoops.h - Loops of MPI_Test -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `while (!flag) MPI_Test(&request, &flag, &status);` is MPI_Wait. As a loop of tests it keeps everything in place: a
// test tells which message came first, if the program looks at its flag.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_POLLINGLOOPS_H
#define COMM_PLUGIN_ANNOTATE_POLLINGLOOPS_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// Makes a loop that only calls MPI_Test until its flag is set call MPI_Wait once (MPI-4, 3.7.3: if the flag is true, a
/// test has done what the wait does). Returns true if anything changed.
bool waitInsteadOfPolling(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_POLLINGLOOPS_H
