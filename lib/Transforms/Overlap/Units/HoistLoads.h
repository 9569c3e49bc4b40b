//===- HoistLoads.h - What a loop finds in private variables ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector whose `resize` is not inlined stays in memory, and a loop loads where its elements are again after each call
// of MPI: LLVM does not see that the call gets another vector's memory where that is chosen by the way to it. The
// elements could then be anywhere, memory that the loop itself allocates included.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTLOADS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTLOADS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Loads of variables on the stack that nobody else has pointers to by then are executed before loops with
/// communication that do not change them. Loops have preheaders. Returns how many loads.
unsigned hoistPrivateLoads(mlir::LLVM::LLVMFuncOp function);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTLOADS_H
