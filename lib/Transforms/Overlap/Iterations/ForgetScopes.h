//===- ForgetScopes.h - Restricted pointers of one iteration ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FORGETSCOPES_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FORGETSCOPES_H

namespace mlir {
class Region;
} // namespace mlir

namespace comm {

/// Drops what is known about restricted pointers that are declared in loops without communication: arguments of calls
/// that were inlined there. They make promises about one iteration, so a loop that declares them cannot be
/// split. Returns true if it has dropped something.
bool forgetScopesOfIterations(mlir::Region &body);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_FORGETSCOPES_H
