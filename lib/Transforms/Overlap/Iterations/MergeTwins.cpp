//===- MergeTwins.cpp - Merge loop variables that stay equal --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/MergeTwins.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

namespace {
/// Decides whether two values are equal, assuming that all pairs on the way are. By induction over the iterations, they
/// are.
class Twins {
public:
  bool areEqual(Value a, Value b);
  /// Pairs of arguments, both of the same block.
  ArrayRef<std::pair<Value, Value>> getArguments() const { return arguments.getArrayRef(); }

private:
  llvm::SmallSetVector<std::pair<Value, Value>, 8> arguments;
  unsigned steps = 0;
};
} // namespace

/// Returns true if two loads of one address read the same: nothing between them may change memory. Either may promise
/// more of the address than the other.
static bool readsAgain(Operation *x, Operation *y) {
  auto first = dyn_cast<LLVM::LoadOp>(x), second = dyn_cast<LLVM::LoadOp>(y);
  if (!first || !second || first->getBlock() != second->getBlock() || !isPlainAccess(first) || !isPlainAccess(second))
    return false;
  if (second->isBeforeInBlock(first))
    std::swap(first, second);
  auto between = llvm::make_range(std::next(first->getIterator()), second->getIterator());
  return llvm::all_of(
      between, [](Operation &op) { return isMemoryEffectFree(&op) || (isa<LLVM::LoadOp>(op) && isPlainAccess(&op)); });
}

bool Twins::areEqual(Value a, Value b) {
  constexpr unsigned mostSteps = 64;
  if (a == b)
    return true;
  if (a.getType() != b.getType() || ++steps > mostSteps)
    return false;
  if (isa<BlockArgument>(a) != isa<BlockArgument>(b))
    return false;
  if (auto x = dyn_cast<BlockArgument>(a)) {
    auto y = cast<BlockArgument>(b);
    Block *block = x.getOwner();
    if (block != y.getOwner() || block->isEntryBlock())
      return false;
    if (!arguments.insert({a, b}))
      return true;
    return llvm::all_of(block->getUses(), [&](BlockOperand &edge) {
      auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
      if (!branch)
        return false;
      SuccessorOperands operands = branch.getSuccessorOperands(edge.getOperandNumber());
      Value ofX = operands[x.getArgNumber()], ofY = operands[y.getArgNumber()];
      return ofX && ofY && areEqual(ofX, ofY);
    });
  }
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  bool isSame = readsAgain(x, y) ||
                (x->getName() == y->getName() && x->getNumResults() == 1 && x->getNumRegions() == 0 &&
                 x->getNumOperands() == y->getNumOperands() && x->getAttrDictionary() == y->getAttrDictionary() &&
                 x->getPropertiesAsAttribute() == y->getPropertiesAsAttribute() && isMemoryEffectFree(x) &&
                 !isa<LLVM::FreezeOp, LLVM::UndefOp, LLVM::CallOp>(x));
  if (!isSame)
    return false;
  for (auto [ofX, ofY] : llvm::zip_equal(x->getOperands(), y->getOperands()))
    if (!areEqual(ofX, ofY))
      return false;
  return true;
}

static void eraseArgument(BlockArgument argument) {
  Block *block = argument.getOwner();
  unsigned index = argument.getArgNumber();
  for (BlockOperand &edge : block->getUses())
    cast<BranchOpInterface>(edge.getOwner()).getSuccessorOperands(edge.getOperandNumber()).erase(index);
  block->eraseArgument(index);
}

/// Merges two equal arguments of the block. Returns false if there are none.
static bool mergeTwo(Block &block) {
  for (BlockArgument a : block.getArguments())
    for (BlockArgument b : block.getArguments().drop_front(a.getArgNumber() + 1)) {
      Twins twins;
      if (!twins.areEqual(a, b))
        continue;
      for (auto [kept, dropped] : twins.getArguments())
        dropped.replaceAllUsesWith(kept);
      eraseArgument(b);
      return true;
    }
  return false;
}

/// Returns true if all edges pass branch operands for the argument.
static bool isForwarded(BlockArgument argument) {
  return llvm::all_of(argument.getOwner()->getUses(), [&](BlockOperand &edge) {
    auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
    return branch && branch.getSuccessorOperands(edge.getOperandNumber())[argument.getArgNumber()];
  });
}

/// Drops unused arguments, which would tie the branch to the code that computes them.
static bool dropUnused(Block &block) {
  bool isAny = false;
  for (unsigned index = block.getNumArguments(); index-- > 0;) {
    BlockArgument argument = block.getArgument(index);
    if (argument.use_empty() && isForwarded(argument)) {
      eraseArgument(argument);
      isAny = true;
    }
  }
  return isAny;
}

void comm::mergeTwins(Region &region) {
  constexpr unsigned mostArguments = 16;
  for (Block &block : region) {
    bool isHeader = !block.isEntryBlock() && !block.hasNoPredecessors() && block.getNumArguments() <= mostArguments;
    while (isHeader && mergeTwo(block))
      ;
  }
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Block &block : region)
      isChanged |= !block.isEntryBlock() && dropUnused(block);
  }
}
