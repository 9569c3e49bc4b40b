//===- HandOver.h - Pass values to a block as arguments ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_UTILS_HANDOVER_H
#define COMM_TRANSFORMS_UTILS_HANDOVER_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

namespace comm {

/// Passes values to a block that are available on some paths to it only, or under different names. Branches of the llvm
/// dialect take only values of its types: a handle of the comm dialect is recomputed from the operand of its comm.cast,
/// which is passed instead.
class HandOver {
public:
  /// `isKnown`: whether the value is available in the block anyway.
  explicit HandOver(std::function<bool(mlir::Value)> isKnown) : isKnown(std::move(isKnown)) {}

  /// Returns true if the value can be made available in the block.
  bool add(mlir::Value value);
  /// Adds what the block computes and what its arguments are, if needed.
  bool addOf(mlir::Block &block, llvm::function_ref<bool(mlir::Value)> isNeeded);
  /// Returns what branches to the block must pass, in the order of its new arguments.
  llvm::ArrayRef<mlir::Value> getCarried() const { return carried.getArrayRef(); }
  /// Adds the arguments and recomputes the rest at the beginning of the block. Returns the replacement for each value
  /// that was added.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> receive(mlir::Block *block) const;
  /// Likewise, with the given arguments for the carried values.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
  receive(mlir::Block *block, llvm::function_ref<mlir::Value(mlir::Value)> getArgument) const;
  /// Passes the values on each edge to the block, and lets users for which `isAfter` holds use what it receives.
  void pass(mlir::Block *block, llvm::function_ref<bool(mlir::Operation *)> isAfter) const;

private:
  bool addCarried(mlir::Value value);

  std::function<bool(mlir::Value)> isKnown;
  llvm::SmallSetVector<mlir::Value, 8> values, carried;
};

} // namespace comm

#endif // COMM_TRANSFORMS_UTILS_HANDOVER_H
