//===- RecordedRequests.h - Requests that are recorded at run time -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a vector of requests that is cleared and filled again, or a member of a class whose destructor is not visible, the
// compiler cannot tell what a wait completes. The function then records what it starts
// (runtime/lib/overlap/Requests.c). In the place of the wait, it waits at once if some request was not recorded or was
// started with operands that have changed. Everything is known about the remaining requests, so their wait may move.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_RECORDEDREQUESTS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_RECORDEDREQUESTS_H

#include "Comm/MPI/ABI.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// Records requests for waits about which nothing else is known, and for loops of waits (WaitLoops.h). `handleSize` is
/// the size of a request in bytes. Each wait gets a number (kRequestSetAttrName) after the `numSets` that are already
/// in use, and so do the starts that are recalled before it (kRecalledAttrName). Returns the number of waits.
unsigned recordRequests(mlir::ModuleOp module, const mpi::ABI &abi, uint64_t handleSize, unsigned numSets);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_RECORDEDREQUESTS_H
