//===- ControlFlow.cpp - Branches in the dialect of their function ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Utils/ControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace comm;

bool comm::isInLLVMFunction(Region &region) {
  Operation *parent = region.getParentOp();
  return isa<LLVM::LLVMFuncOp>(parent) || parent->getParentOfType<LLVM::LLVMFuncOp>();
}

static bool buildsForLLVM(OpBuilder &builder) { return isInLLVMFunction(*builder.getBlock()->getParent()); }

void comm::createBranch(OpBuilder &builder, Location loc, const BranchTarget &target) {
  if (buildsForLLVM(builder))
    LLVM::BrOp::create(builder, loc, target.operands, target.block);
  else
    cf::BranchOp::create(builder, loc, target.block, target.operands);
}

void comm::createConditionalBranch(OpBuilder &builder, Location loc, Value condition, const BranchTarget &ifTrue,
                                   const BranchTarget &ifFalse) {
  if (buildsForLLVM(builder))
    LLVM::CondBrOp::create(builder, loc, condition, ifTrue.block, ifTrue.operands, ifFalse.block, ifFalse.operands);
  else
    cf::CondBranchOp::create(builder, loc, condition, ifTrue.block, ifTrue.operands, ifFalse.block, ifFalse.operands);
}

Value comm::createPoison(OpBuilder &builder, Location loc, Type type) {
  if (buildsForLLVM(builder))
    return LLVM::PoisonOp::create(builder, loc, type);
  return ub::PoisonOp::create(builder, loc, type);
}

Value comm::createSelect(OpBuilder &builder, Location loc, Value condition, Value ifTrue, Value ifFalse) {
  if (buildsForLLVM(builder))
    return LLVM::SelectOp::create(builder, loc, condition, ifTrue, ifFalse);
  return arith::SelectOp::create(builder, loc, condition, ifTrue, ifFalse);
}

void comm::copyBlocks(ArrayRef<Block *> blocks, Block *before, IRMapping &mapping, SmallVectorImpl<Operation *> &copies,
                      llvm::function_ref<bool(Operation *)> isLeftOut) {
  for (Block *block : blocks) {
    if (mapping.contains(block))
      continue;
    auto *made = new Block();
    before->getParent()->getBlocks().insert(Region::iterator(before), made);
    mapping.map(block, made);
    for (BlockArgument argument : block->getArguments())
      mapping.map(argument, made->addArgument(argument.getType(), argument.getLoc()));
  }
  for (Block *block : blocks)
    for (Operation &op : *block) {
      if (isLeftOut && isLeftOut(&op))
        continue;
      copies.push_back(op.clone(mapping));
      mapping.lookup(block)->push_back(copies.back());
    }
}

void comm::mapOperands(ArrayRef<Operation *> copies, const IRMapping &mapping) {
  for (Operation *op : copies)
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
    });
}

std::optional<ConditionalBranch> comm::matchConditionalBranch(Operation *terminator) {
  auto match = [](auto branch) {
    return ConditionalBranch{branch.getCondition(),
                             {branch.getTrueDest(), SmallVector<Value>(branch.getTrueDestOperands())},
                             {branch.getFalseDest(), SmallVector<Value>(branch.getFalseDestOperands())}};
  };
  if (auto branch = dyn_cast<LLVM::CondBrOp>(terminator))
    return match(branch);
  if (auto branch = dyn_cast<cf::CondBranchOp>(terminator))
    return match(branch);
  return std::nullopt;
}

std::optional<BranchTarget> comm::matchBranch(Operation *terminator) {
  if (auto branch = dyn_cast<LLVM::BrOp>(terminator))
    return BranchTarget{branch.getDest(), SmallVector<Value>(branch.getDestOperands())};
  if (auto branch = dyn_cast<cf::BranchOp>(terminator))
    return BranchTarget{branch.getDest(), SmallVector<Value>(branch.getDestOperands())};
  return std::nullopt;
}
