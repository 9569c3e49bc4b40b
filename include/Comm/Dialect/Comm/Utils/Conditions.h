//===- Conditions.h - Conditions known from branches ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_CONDITIONS_H
#define COMM_DIALECT_COMM_UTILS_CONDITIONS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir {
class DominanceInfo;
} // namespace mlir

namespace comm {

/// A branch condition whose value is known.
struct KnownCondition {
  mlir::Value value;
  bool isTrue;
};

/// Returns what the llvm dialect's conditional branch at the end of the block implies if control goes to this
/// successor; none if it implies nothing. For a negation, returns the negated value.
std::optional<KnownCondition> getAsked(mlir::Block *block, unsigned successor);

/// Returns the conditions known to hold in the block because of branches, nearest first. The values may have been
/// recomputed since, in another iteration of a loop around the branch.
llvm::SmallVector<KnownCondition, 4> findConditions(mlir::Block *block, mlir::DominanceInfo &dominance);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_CONDITIONS_H
