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

/// Whether a load of the program in that unit finds nothing of what the unit `start` began to receive, because the
/// program loads it while it receives, which MPI forbids for what is received (MPI-4, 3.7.2). Programs that do so all
/// the same do it with data. So this is only said of pointers, of numbers in structures with pointers, and of integers
/// while floating-point numbers arrive. Nothing of the chain may have moved.
bool isForeignInFlight(const Chain &chain, mlir::LLVM::LoadOp load, unsigned unit, unsigned start);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_OWNINTERVALS_H
