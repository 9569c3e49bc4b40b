//===- LLVMValueMap.cpp - Mapping model values to MLIR --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMValueMap.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Instructions.h"

using namespace mlir;
using namespace comm;

LLVMValueMap::LLVMValueMap(const LLVMModel &model) {
  // A call that may throw ends a block in LLVM IR, but not in MLIR.
  llvm::DenseMap<Block *, Operation *> first;
  for (const auto &[op, instructions] : model.instructions) {
    context = op->getContext();
    if (instructions.empty())
      continue;
    Operation *&begin = first[op->getBlock()];
    if (!begin || op->isBeforeInBlock(begin)) {
      begin = op;
      blocks[op->getBlock()] = instructions.front()->getParent();
    }
    originals[instructions.front()->getParent()] = op->getBlock();
    bool isOne = instructions.size() == 1 && op->getNumResults() == 1 && op->getNumRegions() == 0;
    if (isOne && !isa<MPIOpInterface>(op) && !instructions.front()->getType()->isVoidTy())
      values[instructions.front()] = op->getResult(0);
  }
  for (auto [block, body] : blocks) {
    if (!isa<LLVM::LLVMFuncOp>(block->getParentOp()))
      continue;
    if (block->isEntryBlock()) {
      const llvm::Function *function = body->getParent();
      for (auto [argument, original] : llvm::zip(function->args(), block->getArguments()))
        values[&argument] = original;
      for (auto address : block->getOps<LLVM::AddressOfOp>())
        globalAddresses[function].try_emplace(address.getGlobalNameAttr().getAttr(), address);
      continue;
    }
    // The first phis are the block's arguments, in order. The translation made any others.
    unsigned index = 0;
    for (const llvm::PHINode &phi : body->phis())
      if (index < block->getNumArguments())
        values[&phi] = block->getArgument(index++);
  }
  for (auto [value, original] : values)
    translated[original] = const_cast<llvm::Value *>(value);
}

Base LLVMValueMap::getBase(const llvm::Function &function, const llvm::Value *pointer,
                           llvm::function_ref<Value(const llvm::Value *)> getAvailable) const {
  if (const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(pointer); global && context) {
    auto name = StringAttr::get(context, global->getName());
    auto addresses = globalAddresses.find(&function);
    return {Value(), name, addresses == globalAddresses.end() ? Value() : addresses->second.lookup(name)};
  }
  return {getAvailable(pointer), StringAttr()};
}
