//===- RequestSets.h - Requests in memory of other functions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests may be in memory of a caller, in a member of a structure from elsewhere, or in a global variable, where
// other functions put requests as well. It is still known what a wait or a loop of waits completes if all places that
// it accesses have just been filled and nothing touches them in between.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_REQUESTSETS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_REQUESTSETS_H

#include "Comm/MPI/ABI.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// Gives each such wait and its starts a unique number (kRequestSetAttrName). `handleSize` is the size of a request in
/// bytes. Returns the number of waits.
unsigned markRequestSets(mlir::ModuleOp module, const mpi::ABI &abi, uint64_t handleSize);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_REQUESTSETS_H
