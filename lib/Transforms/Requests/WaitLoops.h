//===- WaitLoops.h - Loops of waits become one wait ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_REQUESTS_WAITLOOPS_H
#define COMM_LIB_TRANSFORMS_REQUESTS_WAITLOOPS_H

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// `for (auto &request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);` becomes one MPI_Waitall (MPI-4, 3.7.5), if
/// the loop does nothing else and looks at one request after the other, for the waits that `isWanted` says.
/// `handleSize` is that of a request, in bytes. Returns whether there was one.
bool mergeWaitLoops(mlir::LLVM::LLVMFuncOp function, uint64_t handleSize,
                    llvm::function_ref<bool(mlir::Operation *)> isWanted);

/// Makes loops of such waits again where they are now: for what is not recorded, the order counts.
void makeWaitLoops(mlir::Operation *function);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_REQUESTS_WAITLOOPS_H
