//===- LLVMTranslation.cpp - Finding operations again in LLVM IR -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/LLVMTranslation.h"

#include "LLVMNumbering.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

using namespace mlir;

namespace {
struct CommTranslation : public LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult amendOperation(Operation *op, ArrayRef<llvm::Instruction *> instructions, NamedAttribute attribute,
                               LLVM::ModuleTranslation &) const final {
    if (attribute.getName() != comm::kIdAttrName || instructions.empty())
      return success();
    std::optional<uint64_t> id = comm::OperationNumbers::lookup(op);
    for (llvm::Instruction *instruction : instructions) {
      if (!id)
        break;
      llvm::LLVMContext &context = instruction->getContext();
      llvm::Constant *number = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), *id);
      instruction->setMetadata(comm::kIdAttrName, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number)));
    }
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static thread_local comm::OperationNumbers *current = nullptr;

comm::OperationNumbers::OperationNumbers() : outer(current) { current = this; }
comm::OperationNumbers::~OperationNumbers() { current = outer; }

void comm::OperationNumbers::add(Operation *op, uint64_t number) {
  numbers[op] = number;
  op->setDiscardableAttr(kIdAttrName, Builder(op->getContext()).getI64IntegerAttr(0));
}

void comm::OperationNumbers::move(Operation *from, Operation *to) {
  if (auto it = numbers.find(from); it != numbers.end())
    add(to, it->second);
}

std::optional<uint64_t> comm::OperationNumbers::lookup(Operation *op) {
  if (!current)
    return std::nullopt;
  auto it = current->numbers.find(op);
  return it == current->numbers.end() ? std::nullopt : std::optional(it->second);
}

void comm::registerCommDialectTranslation(DialectRegistry &registry) {
  registry.insert<CommDialect>();
  registry.addExtension(+[](MLIRContext *, CommDialect *dialect) { dialect->addInterfaces<CommTranslation>(); });
}
