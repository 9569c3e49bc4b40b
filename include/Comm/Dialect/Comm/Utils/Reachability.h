//===- Reachability.h - What control may come to -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over the successors of blocks, of MLIR and of LLVM IR alike.
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

/// The blocks that control may come to from these, which are among them, without entering a block that `stops`. In the
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

/// All of them.
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
  // A block that is not passed to its end may still be entered.
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

/// Whether control may come from one operation to another one of the same function without executing one that `stops`
/// in between. `from` itself counts, `to` does not.
inline bool mayReach(mlir::Operation *from, mlir::Operation *to, llvm::function_ref<bool(mlir::Operation &)> stops) {
  return detail::mayReach(from, to, stops);
}
inline bool mayReach(const llvm::Instruction *from, const llvm::Instruction *to,
                     llvm::function_ref<bool(const llvm::Instruction &)> stops) {
  return detail::mayReach(from, to, stops);
}

/// The same whatever is executed in between.
inline bool mayReach(mlir::Operation *from, mlir::Operation *to) {
  return mayReach(from, to, [](mlir::Operation &) { return false; });
}

/// What the ways into its block hand over for the argument, in the order of the predecessors; none if that is not known
/// of one of them, as of the arguments of a function.
std::optional<llvm::SmallVector<mlir::Value>> getPassedValues(mlir::BlockArgument argument);
/// The value that edges to the block hand over, apart from those that hand over poison. Null if there are several, or
/// none, or the argument itself is handed over.
mlir::Value getOnlyPassedValue(mlir::BlockArgument argument);
/// What the edge from that block hands over; null if it is no branch.
mlir::Value getPassed(mlir::Block *from, mlir::BlockArgument argument);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_REACHABILITY_H
