//===- HandOver.h - Values that a block gets by its arguments ----*- C++ -*-===//
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

/// Values that some ways to a block have and others do not, or not under one name. Branches of the llvm dialect take
/// values of its types alone: a handle of the comm dialect is computed again from what it was computed from
/// (comm.cast), which is handed over.
class HandOver {
public:
  /// `isKnown`: whether the block knows the value without being told.
  explicit HandOver(std::function<bool(mlir::Value)> isKnown) : isKnown(std::move(isKnown)) {}

  /// Whether the value can be had in the block.
  bool add(mlir::Value value);
  /// Adds what the block computes, its arguments included, as far as it is needed.
  bool addOf(mlir::Block &block, llvm::function_ref<bool(mlir::Value)> isNeeded);
  /// What branches to the block hand over, in the order of its new arguments.
  llvm::ArrayRef<mlir::Value> getCarried() const { return carried.getArrayRef(); }
  /// Adds the arguments, and computes the rest, in front of what the block has. Returns what takes the place of each
  /// value that was added.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> receive(mlir::Block *block) const;
  /// Likewise, with these arguments for what is carried.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
  receive(mlir::Block *block, llvm::function_ref<mlir::Value(mlir::Value)> getArgument) const;

private:
  bool addCarried(mlir::Value value);

  std::function<bool(mlir::Value)> isKnown;
  llvm::SmallSetVector<mlir::Value, 8> values, carried;
};

} // namespace comm

#endif // COMM_TRANSFORMS_UTILS_HANDOVER_H
