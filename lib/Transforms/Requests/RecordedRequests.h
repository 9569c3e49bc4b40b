//===- RecordedRequests.h - Requests that are recorded at run time -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of requests that is cleared and filled again, a member of a class whose destructor nobody sees: what a wait
// completes there cannot be told when compiling. The function records what it starts (runtime/lib/overlap/Requests.c),
// and where the wait was it waits at once if there is a request among those that was not recorded, or was started with
// operands that are others by now. Of those that are left all is known, and their wait may move.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_RECORDEDREQUESTS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_RECORDEDREQUESTS_H

#include "Comm/MPI/ABI.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// Does that for waits of which nothing else is known, and for loops of waits (WaitLoops.h). `handleSize` is that of a
/// request, in bytes. Each gets a number (kRequestSetAttrName) after `numSets` ones
/// that are given already, as do the starts that are said again in front of it (kRecalledAttrName). Returns how many
/// waits there are.
unsigned recordRequests(mlir::ModuleOp module, const mpi::ABI &abi, uint64_t handleSize, unsigned numSets);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_RECORDEDREQUESTS_H
