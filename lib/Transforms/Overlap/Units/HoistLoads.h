//===- HoistLoads.h - Hoist loads of private variables ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector whose `resize` is not inlined stays in memory, and a loop loads the address of its elements again after each
// MPI call: LLVM does not see that the call gets the memory of another vector if the path to it decides that. The
// elements could then be anywhere, including memory that the loop itself allocates.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTLOADS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTLOADS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Hoists loads of stack variables without other pointers out of loops with communication that do not change them.
/// Loops must have preheaders. Returns the number of loads.
unsigned hoistPrivateLoads(mlir::LLVM::LLVMFuncOp function);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_HOISTLOADS_H
