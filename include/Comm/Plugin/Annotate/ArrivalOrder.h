//===- ArrivalOrder.h - Loops of MPI_Waitany --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `for (k < n) { MPI_Waitany(n, requests, &i, &status); unpack(i); }` handles messages as they arrive, so nobody knows
// what an iteration unpacks, and whatever comes later waits for all of it. Any order is an arrival order that MPI
// allows (MPI-4, 3.7.5), also that of the requests.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ANNOTATE_ARRIVALORDER_H
#define COMM_PLUGIN_ANNOTATE_ARRIVALORDER_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class LoopInfo;
struct LoopStandardAnalysisResults;
} // namespace llvm

namespace comm {

/// Returns true if a call in the loop, not in an inner one, waits for any of several requests.
bool waitsForAny(const llvm::Loop &loop, const llvm::LoopInfo &loops);

/// Makes a loop that completes all of its requests by MPI_Waitany, and otherwise only moves data, wait for one request
/// after the other. Before LLVM unrolls the loop, whose iterations would no longer be alike; a loop with MPI_Waitany
/// that stays as it is will not be unrolled, since more may be known when its function is inlined.
/// Returns true if the call changed. The loop must satisfy waitsForAny, and the file must not make error handlers.
bool orderArrivals(llvm::Loop &loop, llvm::LoopStandardAnalysisResults &analyses);

/// Likewise, for all loops of a function, which it then simplifies: starts may be inlined by now.
bool orderArrivals(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace comm

#endif // COMM_PLUGIN_ANNOTATE_ARRIVALORDER_H
