//===- Conditions.h - What branches have asked --------------------*- C++ -*-===//
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

/// A value that a branch asks, and what it is.
struct KnownCondition {
  mlir::Value value;
  bool isTrue;
};

/// What the conditional branch of the llvm dialect at the end of the block has asked where control goes to that
/// successor; none if it asks nothing. Of a negation, what is negated.
std::optional<KnownCondition> getAsked(mlir::Block *block, unsigned successor);

/// What branches have asked wherever the block runs, nearest first. The values may have been computed again since, in
/// another iteration of a loop around the branch.
llvm::SmallVector<KnownCondition, 4> findConditions(mlir::Block *block, mlir::DominanceInfo &dominance);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_CONDITIONS_H
