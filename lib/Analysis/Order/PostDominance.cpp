//===- PostDominance.cpp - Post-dominators --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Order/PostDominance.h"

#include "Comm/Analysis/Order/AbnormalExits.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace comm;

/// Whether the block ends its region normally. `llvm.unreachable` and `llvm.resume` have no successors either, but do
/// not return; upstream marks returns with ReturnLike.
static bool returns(Block &block) {
  // Ask for traits last: most blocks have successors.
  if (block.empty() || block.back().getNumSuccessors() != 0)
    return false;
  Operation &last = block.back();
  if (!last.hasTrait<OpTrait::IsTerminator>())
    return false;
  return last.hasTrait<OpTrait::ReturnLike>() || isa<RegionBranchTerminatorOpInterface>(last);
}

/// Whether the program ends successfully in the block: `exit(0)`.
static bool exitsWell(Block &block) {
  if (block.empty() || block.getNumSuccessors() != 0)
    return false;
  return llvm::any_of(block, [](Operation &op) {
    auto call = dyn_cast<CallOpInterface>(op);
    return call && getCalleeName(call) == "exit" && call.getArgOperands().size() == 1 &&
           matchPattern(call.getArgOperands().front(), m_Zero());
  });
}

PostDominance::PostDominance(Region &region, Exceptions exceptions) : exceptions(exceptions) {
  // If nothing returns, as in a main that ends with exit, no block would post-dominate any other.
  auto returns = llvm::any_of(region, ::returns) ? ::returns : exitsWell;
  DenseSet<Block *> ends;
  // Postorder of the reversed graph, from all returns.
  std::vector<std::pair<Block *, Block::pred_iterator>> stack;
  DenseMap<Block *, bool> seen;
  for (Block &exit : region) {
    if (!returns(exit))
      continue;
    ends.insert(&exit);
    if (seen.lookup(&exit))
      continue;
    seen[&exit] = true;
    stack.emplace_back(&exit, exit.pred_begin());
    while (!stack.empty()) {
      auto &[block, it] = stack.back();
      if (it == block->pred_end()) {
        number[block] = blocks.size();
        blocks.push_back(block);
        stack.pop_back();
        continue;
      }
      Block *pred = *it;
      BlockOperand &edge = pred->getTerminator()->getBlockOperands()[it.getSuccessorIndex()];
      ++it;
      if (isCounted(edge) && !seen.lookup(pred)) {
        seen[pred] = true;
        stack.emplace_back(pred, pred->pred_begin());
      }
    }
  }
  const int exit = blocks.size(), unknown = -1;
  immediate.assign(blocks.size() + 1, unknown);
  immediate[exit] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (int b = exit - 1; b >= 0; --b) {
      int next = unknown;
      auto meet = [&](int other) { next = next == unknown ? other : static_cast<int>(intersect(next, other)); };
      if (ends.contains(blocks[b]))
        meet(exit);
      for (BlockOperand &edge : blocks[b]->getTerminator()->getBlockOperands()) {
        auto it = number.find(edge.get());
        if (isCounted(edge) && it != number.end() && immediate[it->second] != unknown)
          meet(it->second);
      }
      if (next != immediate[b]) {
        immediate[b] = next;
        changed = true;
      }
    }
  }
}

bool PostDominance::isCounted(BlockOperand &edge) const {
  return exceptions == Exceptions::Caught || !isUnwinding(edge);
}

bool PostDominance::isTaken(BlockOperand &edge) const { return isCounted(edge) && canReturn(edge.get()); }

unsigned PostDominance::intersect(unsigned a, unsigned b) const {
  while (a != b) {
    while (a < b)
      a = immediate[a];
    while (b < a)
      b = immediate[b];
  }
  return a;
}

Block *PostDominance::getImmediate(Block *block) const {
  auto it = number.find(block);
  if (it == number.end())
    return nullptr;
  int next = immediate[it->second];
  return next < 0 || next == static_cast<int>(blocks.size()) ? nullptr : blocks[next];
}
