//===- WaitLoops.h - Merge loops of waits -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_WAITLOOPS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_WAITLOOPS_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Turns `for (auto &request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);` into one MPI_Waitall (MPI-4, 3.7.5) if
/// the loop does nothing else and accesses one request after the other. Applies to waits selected by `isWanted`.
/// `handleSize` is the size of a request in bytes. Returns true if there was such a loop.
bool mergeWaitLoops(mlir::LLVM::LLVMFuncOp function, uint64_t handleSize,
                    llvm::function_ref<bool(mlir::Operation *)> isWanted);

/// Turns such waits back into loops at their current place: for requests that are not recorded, the order matters.
void makeWaitLoops(mlir::Operation *function);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_WAITLOOPS_H
