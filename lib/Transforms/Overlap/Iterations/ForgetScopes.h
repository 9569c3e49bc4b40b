//===- ForgetScopes.h - Restricted pointers of one iteration ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FORGETSCOPES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FORGETSCOPES_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Block;
class Operation;
class Region;
} // namespace mlir

namespace comm {

/// Hides from analyses, until `settleScopes`, what is known about restricted pointers that are declared in loops
/// without communication: arguments of calls that were inlined there. It is a promise about one iteration, so a loop
/// that declares such pointers cannot be split. Returns true if it has hidden something.
bool hideScopesOfIterations(mlir::Region &body);

/// Returns true if the operation declares a restricted pointer about which the promise is not hidden.
bool declaresVisibleScope(mlir::Operation &op);

/// Drops the promises that are hidden and belong to blocks that will be split, and gives the others back, since the
/// optimizer needs them to compute several iterations at a time.
void settleScopes(mlir::Region &body, llvm::function_ref<bool(mlir::Block *)> isSplit);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FORGETSCOPES_H
