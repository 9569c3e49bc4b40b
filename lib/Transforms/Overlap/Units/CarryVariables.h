//===- CarryVariables.h - Loops that add to private variables ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A residual that a loop accumulates and that a message then sends stays in memory if the loop stores to arrays that
// the program swaps: LLVM does not see that none of these arrays is the variable. All iterations then depend on each
// other through memory. Carried from one iteration to the next as a value, it is a sum, a count or a maximum (Folds.h).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_CARRYVARIABLES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_CARRYVARIABLES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Promotes stack variables without other pointers in loops that store to them and do not communicate: loads them
/// before the loop, carries them through it, and stores them after it. Loops must have preheaders and dedicated exits.
/// Returns the number of variables.
unsigned carryPrivateVariables(mlir::LLVM::LLVMFuncOp function);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_CARRYVARIABLES_H
