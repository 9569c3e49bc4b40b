//===- MessageLoops.h - Short loops over messages ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with a loop over directions, neighbors or fields, each with an MPI_Sendrecv, waits for one message after
// the other, and such a loop is one unit that nothing overlaps. As statements in a row they are under way together.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_MESSAGELOOPS_H
#define COMM_PLUGIN_ANNOTATE_MESSAGELOOPS_H

#include "llvm/IR/PassManager.h"

namespace comm {

/// Unrolls loops that have blocking calls of MPI and a few iterations, whose number is constant, and simplifies their
/// functions. A loop for which the program says otherwise (`#pragma nounroll`) stays, and so does an outermost one with
/// loops in it: that is more likely a loop over time steps. Returns true if anything changed.
bool unrollMessageLoops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_MESSAGELOOPS_H
