//===- Reachability.cpp - Reachability of blocks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Reachability.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

bool comm::mayReachFromReturn(Operation *from, Operation *to, llvm::function_ref<bool(Operation &)> stops) {
  auto invoke = dyn_cast<LLVM::InvokeOp>(from);
  Operation *first = invoke ? &invoke.getNormalDest()->front() : from;
  return first == to || mayReach(first, to, stops);
}

Value comm::getPassed(Block *from, BlockArgument argument) {
  auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
  if (!branch)
    return {};
  for (auto [i, successor] : llvm::enumerate(from->getSuccessors()))
    if (successor == argument.getOwner())
      return branch.getSuccessorOperands(i)[argument.getArgNumber()];
  return {};
}

std::optional<SmallVector<Value>> comm::getPassedValues(BlockArgument argument) {
  Block *block = argument.getOwner();
  if (block->isEntryBlock())
    return std::nullopt;
  SmallVector<Value> passed;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value value = branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()] : Value();
    if (!value)
      return std::nullopt;
    passed.push_back(value);
  }
  return passed;
}

Value comm::getOnlyPassedValue(BlockArgument argument) {
  Value only;
  for (Value each : getPassedValues(argument).value_or(SmallVector<Value>())) {
    if (each.getDefiningOp<LLVM::PoisonOp>())
      continue;
    if (each == argument || (only && each != only))
      return nullptr;
    only = each;
  }
  return only;
}
