//===- OwnIntervals.h - What the program does while it receives -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_OWNINTERVALS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_OWNINTERVALS_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// Returns true if a load of the program in that unit cannot see what the unit `start` began to receive. The program
/// loads it while receiving, which MPI forbids for the receive buffer (MPI-4, 3.7.2). Programs that do so nonetheless
/// do it with data, so this holds only for pointers, for numbers in structures with pointers, and for integers while
/// floating-point numbers arrive. Nothing in the chain may have moved yet.
bool isForeignInFlight(const Chain &chain, mlir::LLVM::LoadOp load, unsigned unit, unsigned start);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_OWNINTERVALS_H
