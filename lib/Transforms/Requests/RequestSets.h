//===- RequestSets.h - Requests in memory of others ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests may be in memory of a caller, a member of a structure that came from elsewhere or a global variable, where
// other functions put requests, too. What a wait, or a loop of waits, completes is known nevertheless if all the places
// that it looks at have just been filled, and nothing in between touches them.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_REQUESTSETS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_REQUESTSETS_H

#include "Comm/MPI/ABI.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// Gives each such wait and its starts a number of their own (kRequestSetAttrName). `handleSize` is that of a request,
/// in bytes. Returns how many waits there are.
unsigned markRequestSets(mlir::ModuleOp module, const mpi::ABI &abi, uint64_t handleSize);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_REQUESTSETS_H
