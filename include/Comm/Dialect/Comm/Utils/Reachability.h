//===- Reachability.h - Reachability of blocks ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over the successors of blocks of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_REACHABILITY_H
#define COMM_DIALECT_COMM_UTILS_REACHABILITY_H

#include "Comm/Dialect/Comm/Utils/BlockWalks.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace comm {

namespace detail {
template <> struct Position<mlir::Operation> {
  static mlir::Block *getBlock(mlir::Operation *op) { return op->getBlock(); }
  static bool isBefore(mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); }
};
} // namespace detail

/// Whether control may get from one operation to another in the same function without executing one that `stops`
/// accepts in between. `from` itself counts, `to` does not.
inline bool mayReach(mlir::Operation *from, mlir::Operation *to, llvm::function_ref<bool(mlir::Operation &)> stops) {
  return detail::mayReach(from, to, stops);
}

/// The same from the normal return of an operation that may throw: one that throws has done nothing.
bool mayReachFromReturn(mlir::Operation *from, mlir::Operation *to, llvm::function_ref<bool(mlir::Operation &)> stops);

/// The same without restrictions on what is executed in between.
inline bool mayReach(mlir::Operation *from, mlir::Operation *to) {
  return mayReach(from, to, [](mlir::Operation &) { return false; });
}

/// Returns the values that predecessors pass for the argument, in their order; none if one of them is unknown, as for
/// arguments of a function.
std::optional<llvm::SmallVector<mlir::Value>> getPassedValues(mlir::BlockArgument argument);
/// Returns the only value that edges pass, ignoring poison. Null if there are several or none, or if the argument
/// itself is passed.
mlir::Value getOnlyPassedValue(mlir::BlockArgument argument);
/// Returns the value that the edge from this block passes; null if the terminator is not a branch.
mlir::Value getPassed(mlir::Block *from, mlir::BlockArgument argument);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_REACHABILITY_H
