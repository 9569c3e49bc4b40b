//===- Lifetimes.h - Variables of messages that live in arms -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where guards are threaded (`n > 0` is asked once for two loops), the begin of a variable's lifetime ends up in arms
// of branches, next to a loop. A message with that variable depends on it, and on the loop with it.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_LIFETIMES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_LIFETIMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {

/// Makes small variables on the stack that communications read or write, and that begin or end to live in a unit of
/// several blocks, live as long as the function. Returns how many.
unsigned extendLifetimes(mlir::FunctionOpInterface function);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_LIFETIMES_H
