//===- LLVMTranslation.cpp - Mapping operations to LLVM IR ----------------===//
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
#include "llvm/IR/Instruction.h"

using namespace mlir;

namespace {
struct CommTranslation : public LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult amendOperation(Operation *op, ArrayRef<llvm::Instruction *> instructions, NamedAttribute attribute,
                               LLVM::ModuleTranslation &) const final {
    if (attribute.getName() != comm::kIdAttrName || instructions.empty())
      return success();
    comm::OperationInstructions::note(op, instructions);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static thread_local comm::OperationInstructions *current = nullptr;

comm::OperationInstructions::OperationInstructions(MLIRContext *context) : outer(current) {
  Builder builder(context);
  marker = builder.getDictionaryAttr(builder.getNamedAttr(kIdAttrName, builder.getI64IntegerAttr(0)));
  current = this;
}
comm::OperationInstructions::~OperationInstructions() { current = outer; }

void comm::OperationInstructions::add(Operation *op, Operation *original) {
  originals[op] = original;
  // Almost all operations share one dictionary.
  if (op->getDiscardableAttrDictionary().empty())
    op->setDiscardableAttrs(marker);
  else
    op->setDiscardableAttr(kIdAttrName, marker.getValue().front().getValue());
}

void comm::OperationInstructions::move(Operation *from, Operation *to) {
  if (auto it = originals.find(from); it != originals.end())
    add(to, it->second);
}

void comm::OperationInstructions::note(Operation *op, ArrayRef<llvm::Instruction *> instructions) {
  if (!current)
    return;
  auto it = current->originals.find(op);
  if (it == current->originals.end())
    return;
  for (llvm::Instruction *instruction : instructions)
    current->made.emplace_back(it->second, instruction);
}

void comm::OperationInstructions::forEach(llvm::function_ref<void(Operation *, llvm::Instruction *)> visit) const {
  for (const auto &[original, value] : made)
    if (auto *instruction = llvm::dyn_cast_or_null<llvm::Instruction>(static_cast<llvm::Value *>(value)))
      visit(original, instruction);
}

void comm::registerCommDialectTranslation(DialectRegistry &registry) {
  registry.insert<CommDialect>();
  registry.addExtension(+[](MLIRContext *, CommDialect *dialect) { dialect->addInterfaces<CommTranslation>(); });
}
