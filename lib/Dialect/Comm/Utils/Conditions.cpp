//===- Conditions.cpp - Conditions known from branches --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Conditions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm;

std::optional<KnownCondition> comm::getAsked(Block *block, unsigned successor) {
  auto branch = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
  if (!branch || branch.getTrueDest() == branch.getFalseDest())
    return std::nullopt;
  KnownCondition known{branch.getCondition(), successor == 0};
  while (auto negation = known.value.getDefiningOp<LLVM::XOrOp>()) {
    if (!matchPattern(negation.getRhs(), m_One()))
      break;
    known = {negation.getLhs(), !known.isTrue};
  }
  return known;
}

SmallVector<KnownCondition, 4> comm::findConditions(Block *block, DominanceInfo &dominance) {
  SmallVector<KnownCondition, 4> known;
  for (Block *below = block; below && !below->isEntryBlock();) {
    if (Block *from = below->getSinglePredecessor())
      for (unsigned i = 0; i < from->getNumSuccessors(); ++i)
        if (from->getSuccessor(i) == below)
          if (std::optional<KnownCondition> asked = getAsked(from, i))
            known.push_back(*asked);
    auto *node = dominance.getNode(below);
    below = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  }
  return known;
}
