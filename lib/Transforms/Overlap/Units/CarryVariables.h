//===- CarryVariables.h - Loops that add to private variables ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A residual that a loop adds to, and that a message sends after it, stays in memory where the loop stores to arrays
// that the program swaps: LLVM does not see that none of these is the variable. All iterations then depend on each
// other by memory. Carried from one to the next as a value, it is a sum, a count or a maximum (Folds.h).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_CARRYVARIABLES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_CARRYVARIABLES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Variables on the stack that nobody else has pointers to by then are loaded before a loop without communication that
/// stores to them, carried through it, and stored after it. Loops have preheaders, and ways out of their own. Returns
/// how many.
unsigned carryPrivateVariables(mlir::LLVM::LLVMFuncOp function);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_CARRYVARIABLES_H
