//===- Reachability.h - Reachability of blocks ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over the successors of blocks, for both MLIR and LLVM IR.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_REACHABILITY_H
#define COMM_DIALECT_COMM_UTILS_REACHABILITY_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instruction.h"

#include <optional>

namespace comm {

/// Returns the blocks reachable from these, including themselves, without entering a block that `stops` accepts. In the
/// order in which they are found.
template <typename BlockT, typename Stops>
llvm::SmallSetVector<BlockT *, 16> findReachable(llvm::ArrayRef<BlockT *> from, const Stops &stops) {
  llvm::SmallSetVector<BlockT *, 16> reached;
  for (BlockT *block : from)
    if (!stops(block))
      reached.insert(block);
  for (size_t i = 0; i < reached.size(); ++i)
    for (BlockT *next : llvm::children<BlockT *>(reached[i]))
      if (!stops(next))
        reached.insert(next);
  return reached;
}

/// The same without entering `stop`, which may be null.
template <typename BlockT> llvm::SmallSetVector<BlockT *, 16> findReachable(BlockT *from, BlockT *stop) {
  return findReachable<BlockT>(llvm::ArrayRef<BlockT *>(from), [&](BlockT *block) { return block == stop; });
}

/// Returns all reachable blocks.
template <typename BlockT> llvm::SmallSetVector<BlockT *, 16> findReachable(BlockT *from) {
  return findReachable<BlockT>(llvm::ArrayRef<BlockT *>(from), [](BlockT *) { return false; });
}

namespace detail {
inline mlir::Block *blockOf(mlir::Operation *op) { return op->getBlock(); }
inline const llvm::BasicBlock *blockOf(const llvm::Instruction *inst) { return inst->getParent(); }
inline bool isBefore(mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); }
inline bool isBefore(const llvm::Instruction *a, const llvm::Instruction *b) { return a->comesBefore(b); }

template <typename OpT, typename Stops> bool mayReach(OpT *from, OpT *to, const Stops &stops) {
  auto isStopped = [&](auto begin, auto end) {
    return llvm::any_of(llvm::make_range(begin, end), [&](auto &op) { return stops(op); });
  };
  auto *home = detail::blockOf(from), *target = detail::blockOf(to);
  if (home == target && detail::isBefore(from, to))
    return !isStopped(from->getIterator(), to->getIterator());
  if (isStopped(from->getIterator(), home->end()))
    return false;
  using BlockT = std::remove_pointer_t<decltype(home)>;
  // A block that is not left at its end may still be entered.
  llvm::SmallSetVector<BlockT *, 16> entered;
  for (BlockT *next : llvm::children<BlockT *>(home))
    entered.insert(next);
  for (size_t i = 0; i < entered.size(); ++i) {
    BlockT *block = entered[i];
    if (block == target && !isStopped(block->begin(), to->getIterator()))
      return true;
    if (!isStopped(block->begin(), block->end()))
      for (BlockT *next : llvm::children<BlockT *>(block))
        entered.insert(next);
  }
  return false;
}
} // namespace detail

/// Whether control may get from one operation to another in the same function without executing one that `stops`
/// accepts in between. `from` itself counts, `to` does not.
inline bool mayReach(mlir::Operation *from, mlir::Operation *to, llvm::function_ref<bool(mlir::Operation &)> stops) {
  return detail::mayReach(from, to, stops);
}
inline bool mayReach(const llvm::Instruction *from, const llvm::Instruction *to,
                     llvm::function_ref<bool(const llvm::Instruction &)> stops) {
  return detail::mayReach(from, to, stops);
}

/// The same from the normal return of an operation that may throw: one that throws has done nothing.
bool mayReachFromReturn(mlir::Operation *from, mlir::Operation *to, llvm::function_ref<bool(mlir::Operation &)> stops);
bool mayReachFromReturn(const llvm::Instruction *from, const llvm::Instruction *to,
                        llvm::function_ref<bool(const llvm::Instruction &)> stops);

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
