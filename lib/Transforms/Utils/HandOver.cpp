//===- HandOver.cpp - Pass values to a block as arguments -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Utils/HandOver.h"

#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace comm;

static bool canBranchTake(Value value) {
  return LLVM::isCompatibleType(value.getType()) || !isInLLVMFunction(*value.getParentRegion());
}

/// Returns true if the operation may run even if its operands are poison.
static bool canRecompute(Operation *op) { return op && op->getNumRegions() == 0 && isPure(op); }

bool HandOver::addCarried(Value value) {
  if (canBranchTake(value)) {
    carried.insert(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  return canRecompute(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKnown(operand) || addCarried(operand); });
}

bool HandOver::add(Value value) {
  values.insert(value);
  return addCarried(value);
}

bool HandOver::addOf(Block &block, llvm::function_ref<bool(Value)> isNeeded) {
  auto visit = [&](Value value) { return !isNeeded(value) || add(value); };
  return llvm::all_of(block.getArguments(), visit) &&
         llvm::all_of(block, [&](Operation &op) { return llvm::all_of(op.getResults(), visit); });
}

/// Returns the value, recomputed from mapped values.
static Value recompute(OpBuilder &builder, Value value, IRMapping &mapping, llvm::function_ref<bool(Value)> isKnown) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (isKnown(value))
    return value;
  for (Value operand : value.getDefiningOp()->getOperands())
    recompute(builder, operand, mapping, isKnown);
  builder.clone(*value.getDefiningOp(), mapping);
  return mapping.lookup(value);
}

SmallVector<std::pair<Value, Value>> HandOver::receive(Block *block) const {
  return receive(block, [&](Value value) { return block->addArgument(value.getType(), value.getLoc()); });
}

SmallVector<std::pair<Value, Value>> HandOver::receive(Block *block,
                                                       llvm::function_ref<Value(Value)> getArgument) const {
  IRMapping mapping;
  for (Value value : carried)
    mapping.map(value, getArgument(value));
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  SmallVector<std::pair<Value, Value>> received;
  for (Value value : values)
    received.push_back({value, recompute(builder, value, mapping, isKnown)});
  return received;
}

void HandOver::pass(Block *block, llvm::function_ref<bool(Operation *)> isAfter) const {
  for (auto [value, received] : receive(block))
    value.replaceUsesWithIf(received, [&](OpOperand &use) { return isAfter(use.getOwner()); });
  for (BlockOperand &edge : block->getUses())
    cast<BranchOpInterface>(edge.getOwner()).getSuccessorOperands(edge.getOperandNumber()).append(getCarried());
}
