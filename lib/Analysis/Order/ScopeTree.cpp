//===- ScopeTree.cpp - Units and chains -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Order/ScopeTree.h"

#include "Comm/Analysis/Order/PostDominance.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

using namespace mlir;
using namespace comm;

//===----------------------------------------------------------------------===//
// Unit and Chain
//===----------------------------------------------------------------------===//

void Unit::walk(llvm::function_ref<void(Operation *)> fn) const {
  op->walk(fn);
  for (Block *block : interior)
    block->walk(fn);
}

void Chain::index() const {
  if (isIndexed)
    return;
  isIndexed = true;
  ofOp.clear();
  ofBlock.clear();
  for (auto [i, unit] : llvm::enumerate(units)) {
    ofOp[unit.op] = i;
    for (Block *block : unit.interior)
      ofBlock[block] = i;
    if (unit.join)
      ofBlock[unit.join] = i;
  }
}

int Chain::findUnit(Operation *op) const {
  index();
  while (op) {
    if (auto it = ofOp.find(op); it != ofOp.end())
      return it->second;
    Block *block = op->getBlock();
    // Only the arguments of a join belong to its piece. Its operations are units of their own.
    if (auto it = ofBlock.find(block); it != ofBlock.end() && units[it->second].join != block)
      return it->second;
    op = op->getParentOp();
  }
  return -1;
}

int Chain::findDefiningUnit(Value value) const {
  if (Operation *op = value.getDefiningOp())
    return findUnit(op);
  index();
  Block *owner = cast<BlockArgument>(value).getOwner();
  if (auto it = ofBlock.find(owner); it != ofBlock.end())
    return it->second;
  return llvm::is_contained(blocks, owner) ? -1 : findUnit(owner->getParentOp());
}

[[maybe_unused]] static bool namesEachOnce(ArrayRef<unsigned> order, unsigned size) {
  llvm::BitVector named(size);
  for (unsigned unit : order)
    if (unit < size)
      named.set(unit);
  return order.size() == size && named.all();
}

void Chain::reorder(ArrayRef<unsigned> order) {
  assert(namesEachOnce(order, units.size()) && "an order names each unit once");
  // The terminator at the end of the chain is not a unit and stays last.
  Operation *end = blocks.back()->getTerminator();
  SmallVector<Block *, 4> newBlocks{blocks.front()};
  std::vector<Unit> newUnits;
  newUnits.reserve(units.size());
  end->remove();
  for (unsigned i : order) {
    Unit &unit = units[i];
    unit.op->remove();
    newBlocks.back()->push_back(unit.op);
    if (unit.isPiece())
      newBlocks.push_back(unit.join);
    newUnits.push_back(std::move(unit));
  }
  newBlocks.back()->push_back(end);
  blocks = std::move(newBlocks);
  units = std::move(newUnits);
  isIndexed = false;
}

//===----------------------------------------------------------------------===//
// ScopeTree
//===----------------------------------------------------------------------===//

namespace {
enum class PieceKind {
  /// One entry and one exit.
  Valid,
  /// It has another entry or exit; a longer piece may not.
  Open,
  /// It runs back into its own start, and so does every longer one.
  Cyclic
};
} // namespace

/// Finds the piece of the graph from the end of `from` to `to`.
static PieceKind findPiece(Block *from, Block *to, const PostDominance &postDominance, Unit &piece) {
  llvm::SmallPtrSet<Block *, 8> inside;
  SmallVector<Block *> work;
  auto follow = [&](Block *block) {
    for (BlockOperand &edge : block->getTerminator()->getBlockOperands()) {
      Block *successor = edge.get();
      if (successor == to)
        continue;
      if (!postDominance.isTaken(edge)) {
        piece.exits.push_back(&edge);
        continue;
      }
      if (inside.insert(successor).second) {
        piece.interior.push_back(successor);
        work.push_back(successor);
      }
    }
  };
  follow(from);
  while (!work.empty())
    follow(work.pop_back_val());
  if (inside.contains(from))
    return PieceKind::Cyclic;
  auto isInside = [&](Block *pred) { return pred == from || inside.contains(pred); };
  for (Block *block : piece.interior)
    if (block->isEntryBlock() || !llvm::all_of(block->getPredecessors(), isInside))
      return PieceKind::Open;
  return llvm::all_of(to->getPredecessors(), isInside) ? PieceKind::Valid : PieceKind::Open;
}

/// Returns the shortest piece that starts at the end of the block. A loop's header follows on every path, but has the
/// back edge as a second entry: the piece that contains the loop ends after it.
///
/// A piece has one entry, so its block dominates all of it and its end. If control reaches `to` without passing the
/// block (the end of a branch's arm), it also reaches the interior of every longer piece. Stop there: checking longer
/// pieces would take cubic time in the number of blocks.
static std::optional<Unit> findNextPiece(Block *block, const PostDominance &postDominance, DominanceInfo &dominance) {
  for (Block *to = postDominance.getImmediate(block); to && to != block; to = postDominance.getImmediate(to)) {
    if (!dominance.dominates(block, to))
      return std::nullopt;
    Unit piece;
    PieceKind kind = findPiece(block, to, postDominance, piece);
    if (kind == PieceKind::Cyclic)
      return std::nullopt;
    if (kind == PieceKind::Open)
      continue;
    piece.op = block->getTerminator();
    piece.join = to;
    return piece;
  }
  return std::nullopt;
}

static bool hasCycle(const Unit &piece) {
  // Depth-first search: an edge to a block on the current path closes a cycle.
  llvm::SmallPtrSet<Block *, 8> inside(piece.interior.begin(), piece.interior.end()), done, path;
  SmallVector<std::pair<Block *, unsigned>> stack;
  for (Block *root : piece.interior) {
    if (done.contains(root))
      continue;
    stack.emplace_back(root, 0);
    path.insert(root);
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next == block->getNumSuccessors()) {
        path.erase(block);
        done.insert(block);
        stack.pop_back();
        continue;
      }
      Block *successor = block->getSuccessor(next++);
      if (!inside.contains(successor) || done.contains(successor))
        continue;
      if (path.contains(successor))
        return true;
      path.insert(successor);
      stack.emplace_back(successor, 0);
    }
  }
  return false;
}

ScopeTree::ScopeTree(Region &region) {
  DominanceInfo dominance;
  addRegion(region, dominance);
}

ScopeTree::ScopeTree(Region &region, DominanceInfo &dominance) { addRegion(region, dominance); }

void ScopeTree::addRegion(Region &region, DominanceInfo &dominance) {
  if (region.empty())
    return;
  PostDominance uncaught(region, PostDominance::Exceptions::Never);
  // Without invokes, the two are the same.
  std::optional<PostDominance> caught;
  if (llvm::any_of(region, [](Block &block) { return !block.empty() && isa<LLVM::InvokeOp>(block.back()); }))
    caught.emplace(region, PostDominance::Exceptions::Caught);
  // A block is the head of a chain unless it continues one. Follow chains from every block that no chain has reached,
  // heads first.
  llvm::SmallPtrSet<Block *, 16> continues;
  DenseMap<Block *, Unit> pieceAfter;
  for (Block &block : region) {
    std::optional<Unit> piece = findNextPiece(&block, uncaught, dominance);
    if (!piece && caught)
      piece = findNextPiece(&block, *caught, dominance);
    if (!piece)
      continue;
    piece->isLoop = hasCycle(*piece);
    continues.insert(piece->join);
    pieceAfter[&block] = std::move(*piece);
  }
  for (Block &head : region) {
    // Without a terminator (a graph region, or an op under construction), there is no end to keep in place.
    if (continues.contains(&head) || head.empty() || !head.back().hasTrait<OpTrait::IsTerminator>())
      continue;
    auto chain = std::make_unique<Chain>();
    size_t numUnits = 0;
    for (Block *block = &head; block;) {
      chain->blocks.push_back(block);
      numUnits += block->getOperations().size();
      auto it = pieceAfter.find(block);
      block = it == pieceAfter.end() ? nullptr : it->second.join;
    }
    chain->units.reserve(numUnits); // growing would copy them
    for (Block *block : chain->blocks) {
      for (Operation &op : block->without_terminator())
        chain->units.emplace_back().op = &op;
      if (auto it = pieceAfter.find(block); it != pieceAfter.end())
        chain->units.push_back(std::move(it->second));
    }
    addChain(std::move(chain));
  }
  for (Block &block : region)
    for (Operation &op : block)
      for (Region &nested : op.getRegions())
        addRegion(nested, dominance);
}

void ScopeTree::addChain(std::unique_ptr<Chain> chain) {
  for (Block *block : chain->blocks)
    chainOf[block] = chain.get();
  chains.push_back(std::move(chain));
}

Chain *ScopeTree::getChainOf(Operation *op) const {
  return op->hasTrait<OpTrait::IsTerminator>() ? nullptr : chainOf.lookup(op->getBlock());
}
