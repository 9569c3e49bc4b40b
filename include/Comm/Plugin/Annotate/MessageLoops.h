//===- MessageLoops.h - Short loops over messages ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over directions, neighbors or fields with an MPI_Sendrecv in it waits for each message in turn, and such a
// loop is one unit, which nothing overlaps. Once unrolled, the messages can be in flight together.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_MESSAGELOOPS_H
#define COMM_PLUGIN_ANNOTATE_MESSAGELOOPS_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// Unrolls loops with blocking MPI calls and a small constant trip count, then simplifies the function. Skips loops
/// that the program excludes (`#pragma nounroll`) and outermost loops that contain others, which are more likely loops
/// over time steps. Returns true if anything changed.
bool unrollMessageLoops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_MESSAGELOOPS_H
