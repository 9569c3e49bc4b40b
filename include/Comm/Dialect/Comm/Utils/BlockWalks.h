//===- BlockWalks.h - Walks over the successors of blocks -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For both MLIR and LLVM IR. The compiler plugin uses them without MLIR, whose functions are in Reachability.h.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_BLOCKWALKS_H
#define COMM_DIALECT_COMM_UTILS_BLOCKWALKS_H

#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

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
/// The block of an operation, and the order of operations in a block. Reachability.h has those of MLIR.
template <typename OpT> struct Position;
template <> struct Position<const llvm::Instruction> {
  static const llvm::BasicBlock *getBlock(const llvm::Instruction *inst) { return inst->getParent(); }
  static bool isBefore(const llvm::Instruction *a, const llvm::Instruction *b) { return a->comesBefore(b); }
};

template <typename OpT, typename Stops> bool mayReach(OpT *from, OpT *to, const Stops &stops) {
  auto isStopped = [&](auto begin, auto end) {
    return llvm::any_of(llvm::make_range(begin, end), [&](auto &op) { return stops(op); });
  };
  auto *home = Position<OpT>::getBlock(from), *target = Position<OpT>::getBlock(to);
  if (home == target && Position<OpT>::isBefore(from, to))
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

/// Whether control may get from one instruction to another in the same function without executing one that `stops`
/// accepts in between. `from` itself counts, `to` does not.
inline bool mayReach(const llvm::Instruction *from, const llvm::Instruction *to,
                     llvm::function_ref<bool(const llvm::Instruction &)> stops) {
  return detail::mayReach(from, to, stops);
}

/// The same from the normal return of an instruction that may throw: one that throws has done nothing.
inline bool mayReachFromReturn(const llvm::Instruction *from, const llvm::Instruction *to,
                               llvm::function_ref<bool(const llvm::Instruction &)> stops) {
  const auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(from);
  const llvm::Instruction *first = invoke ? &*invoke->getNormalDest()->getFirstNonPHIIt() : from;
  return first == to || mayReach(first, to, stops);
}

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_BLOCKWALKS_H
