//===- OwnIntervals.h - What the program does while it receives -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_OWNINTERVALS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_OWNINTERVALS_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>

namespace comm {

/// Units of a chain, in the order of the program.
struct OwnInterval {
  unsigned start, wait;

  bool contains(unsigned unit) const { return start < unit && unit < wait; }
};

/// The interval between a start that the program wrote and its wait, if the unit is one of the two. Nothing of the
/// chain may have moved.
std::optional<OwnInterval> getOwnInterval(const Chain &chain, unsigned unit);

/// Whether the load, which the program executes in the interval, finds nothing that the start may receive: MPI forbids
/// to access what is being received (MPI-4, 3.7.2). Programs that do so all the same do it with data. So this is only
/// said of pointers, of numbers in structures with pointers, and of integers while floating-point numbers arrive.
bool isForeignInFlight(const Chain &chain, OwnInterval interval, mlir::LLVM::LoadOp load);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_OWNINTERVALS_H
