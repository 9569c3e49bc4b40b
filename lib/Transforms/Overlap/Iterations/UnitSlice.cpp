//===- UnitSlice.cpp - What a unit's addresses depend on ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/UnitSlice.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

UnitSlice::UnitSlice(const Unit &unit) : unit(unit), interior(unit.interior.begin(), unit.interior.end()) {}

/// Adds the values of a block argument on all edges.
void UnitSlice::addEdges(BlockArgument argument) {
  for (BlockOperand &edge : argument.getOwner()->getUses()) {
    auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
    Value given = branch ? branch.getSuccessorOperands(edge.getOperandNumber())[argument.getArgNumber()] : Value();
    if (!given)
      why = "computes addresses from the result of a call or a branch";
    else
      work.push_back(given);
  }
}

void UnitSlice::add(Value value) {
  work.push_back(value);
  while (!work.empty() && why.empty()) {
    Value next = work.pop_back_val();
    if (!interior.contains(next.getParentBlock())) {
      inputs.insert(next);
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (keptArguments.insert(argument).second)
        addEdges(argument);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (!kept.insert(op).second)
      continue;
    used.insert(op->getBlock());
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (load && isPlainAccess(load))
      loads.push_back(op);
    else if (load || !isMemoryEffectFree(op) || op->getNumRegions() > 0)
      why = "computes addresses with operations that cannot be repeated";
    work.append(op->operand_begin(), op->operand_end());
  }
  work.clear();
}

/// Returns true if the direction of the branch at the end of the block matters; its paths meet again at `meeting`.
bool UnitSlice::isNeeded(Block *block, Block *meeting) const {
  if (!meeting || (meeting != unit.join && !interior.contains(meeting)))
    return true;
  if (meeting != unit.join &&
      llvm::any_of(meeting->getArguments(), [&](BlockArgument argument) { return keptArguments.contains(argument); }))
    return true;
  DenseSet<Block *> seen{meeting};
  SmallVector<Block *> next(block->succ_begin(), block->succ_end());
  while (!next.empty()) {
    Block *between = next.pop_back_val();
    if (!seen.insert(between).second)
      continue;
    // A loop, a part of the slice, or an exit.
    if (between == block || used.contains(between) || !interior.contains(between))
      return true;
    next.append(between->succ_begin(), between->succ_end());
  }
  return false;
}

static Block *findMeeting(PostDominanceInfo &postDominance, Block *block) {
  auto *node = postDominance.getDomTree(block->getParent()).getNode(block);
  return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

std::string UnitSlice::add(ArrayRef<Operation *> accesses, PostDominanceInfo &postDominance) {
  auto entry = dyn_cast<LLVM::CondBrOp>(unit.op);
  if (!entry && !isa<LLVM::BrOp>(unit.op))
    return "begins with a branch that has more than two targets";
  if (entry)
    add(entry.getCondition());
  for (Operation *access : accesses) {
    used.insert(access->getBlock());
    if (auto load = dyn_cast<LLVM::LoadOp>(access))
      add(load.getAddr());
    else
      add(cast<LLVM::StoreOp>(access).getAddr());
  }
  DenseSet<Block *> needed;
  for (bool changed = true; changed && why.empty();) {
    changed = false;
    for (Block *block : unit.interior) {
      if (block->getNumSuccessors() < 2 || needed.contains(block))
        continue;
      if (!isNeeded(block, findMeeting(postDominance, block)))
        continue;
      needed.insert(block);
      changed = true;
      auto branch = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
      if (!branch)
        return "has a branch with more than two targets";
      used.insert(block);
      add(branch.getCondition());
    }
  }
  for (Block *block : unit.interior)
    if (block->getNumSuccessors() > 1 && !needed.contains(block))
      shortcuts[block] = findMeeting(postDominance, block);
    else if (!isa<LLVM::BrOp, LLVM::CondBrOp>(block->getTerminator()))
      return "has a branch with more than two targets";
  return why;
}

SmallVector<Block *> UnitSlice::getBlocks() const {
  DenseSet<Block *> reached;
  SmallVector<Block *> next(unit.op->successor_begin(), unit.op->successor_end()), blocks;
  while (!next.empty()) {
    Block *block = next.pop_back_val();
    if (!interior.contains(block) || !reached.insert(block).second)
      continue;
    if (Block *shortcut = getShortcut(block))
      next.push_back(shortcut);
    else
      next.append(block->succ_begin(), block->succ_end());
  }
  for (Block *block : unit.interior)
    if (reached.contains(block))
      blocks.push_back(block);
  return blocks;
}
