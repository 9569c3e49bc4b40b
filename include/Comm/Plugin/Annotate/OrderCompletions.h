//===- OrderCompletions.h - Completions in a fixed order --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_ORDERCOMPLETIONS_H
#define COMM_PLUGIN_ANNOTATE_ORDERCOMPLETIONS_H

#include "Comm/MPI/ABI.h"

#include "llvm/IR/PassManager.h"

namespace comm {

/// Loops that complete each request of an array once, by MPI_Waitany, complete them in the order of the array, by
/// MPI_Wait: which of them is complete first is MPI's choice (MPI-4, 3.7.5). Only where what the loop does in between
/// communicates with nobody, so that nothing else can depend on it. Returns true if anything changed.
bool orderCompletions(llvm::Function &function, const mpi::ABI &abi, llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_ORDERCOMPLETIONS_H
