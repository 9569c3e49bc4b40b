//===- LLVMTranslation.cpp - Finding operations again in LLVM IR -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/LLVMTranslation.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

using namespace mlir;

namespace {
struct CommTranslation : public LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult amendOperation(Operation *, ArrayRef<llvm::Instruction *> instructions, NamedAttribute attribute,
                               LLVM::ModuleTranslation &) const final {
    auto id = dyn_cast<IntegerAttr>(attribute.getValue());
    if (attribute.getName() != comm::kIdAttrName || !id)
      return success();
    for (llvm::Instruction *instruction : instructions) {
      llvm::LLVMContext &context = instruction->getContext();
      llvm::Constant *number = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), id.getInt());
      instruction->setMetadata(comm::kIdAttrName, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number)));
    }
    return success();
  }
};
} // namespace

void comm::registerCommDialectTranslation(DialectRegistry &registry) {
  registry.insert<CommDialect>();
  registry.addExtension(+[](MLIRContext *, CommDialect *dialect) { dialect->addInterfaces<CommTranslation>(); });
}
