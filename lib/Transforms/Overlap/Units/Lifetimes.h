//===- Lifetimes.h - Extend lifetimes of message buffers --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If guards are threaded (`n > 0` is tested once for two loops), the lifetime of a variable begins in the arms of a
// branch, next to a loop. A message in that variable then depends on it, and thereby on the loop.
//
// Variables of unknown size in an inlined function (automatic arrays in Fortran, VLAs in C) live until the stack
// pointer is restored after the call, and nothing crosses that operation.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_LIFETIMES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_LIFETIMES_H

#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {

/// Extends the lifetime of small stack variables that communications read or write to the whole function, if it begins
/// or ends in a unit of several blocks. Returns the number of variables; `tree` is stale if there are any.
unsigned extendLifetimes(mlir::FunctionOpInterface function, const ScopeTree &tree);

/// Restores the stack pointer later, after loops that follow in the same chain: these may then overlap with messages in
/// the variables. Returns the number of restores that have moved.
unsigned restoreStackLater(mlir::FunctionOpInterface function, const ScopeTree &tree);

/// If all paths to a block restore the stack pointer right before it, does so there once: optimizers let a test that is
/// known to fail after the restore lead past the loops that it guards, and copy the restore for that path. Returns the
/// number of blocks.
unsigned joinStackRestores(mlir::FunctionOpInterface function);

/// If the stack pointer is restored and saved again, keeps it in between: the variables of two inlined functions, an
/// exchange and a sweep, then live until the second one has ended. Returns the number of places.
unsigned joinStackScopes(mlir::FunctionOpInterface function, const ScopeTree &tree);

/// Allocates variables of unknown size (an array of fluxes in a sweep) before communications in the same chain
/// that come before them, so that a loop with these variables can overlap with the messages. Returns the number of
/// allocations and saves that have moved; `getTree` returns a tree that knows of these moves.
unsigned changeStackEarlier(mlir::FunctionOpInterface function, llvm::function_ref<const ScopeTree &()> getTree);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_LIFETIMES_H
