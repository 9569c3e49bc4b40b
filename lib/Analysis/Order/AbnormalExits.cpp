//===- AbnormalExits.cpp - Exits other than returns -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Order/AbnormalExits.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

bool comm::isUnwinding(BlockOperand &edge) {
  auto invoke = dyn_cast<LLVM::InvokeOp>(edge.getOwner());
  return invoke && edge.get() == invoke.getUnwindDest();
}

bool comm::mayHoldOperations(BlockOperand &edge) {
  if (isUnwinding(edge))
    return isa<LLVM::LandingpadOp>(edge.get()->front());
  return isa<LLVM::BrOp, LLVM::CondBrOp, LLVM::SwitchOp, LLVM::InvokeOp>(edge.getOwner());
}

bool comm::walkReachable(Block *from, llvm::function_ref<bool(Block *)> isEnd,
                         llvm::function_ref<void(Operation *)> fn) {
  constexpr size_t mostBlocks = 200;
  llvm::SmallSetVector<Block *, 16> blocks;
  blocks.insert(from);
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i == mostBlocks)
      return false;
    blocks[i]->walk(fn);
    for (Block *successor : blocks[i]->getSuccessors())
      if (!isEnd(successor))
        blocks.insert(successor);
  }
  return true;
}
