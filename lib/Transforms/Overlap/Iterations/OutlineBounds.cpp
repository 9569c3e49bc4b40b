//===- OutlineBounds.cpp - Bounds of interiors as functions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace comm {
#define GEN_PASS_DEF_COMMOUTLINEBOUNDS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct OutlineBounds : public comm::impl::CommOutlineBoundsBase<OutlineBounds> {
  using CommOutlineBoundsBase::CommOutlineBoundsBase;
  void runOnOperation() final;
};
} // namespace

/// Returns a name of the module that is not used.
static std::string makeName(ModuleOp module, StringRef function) {
  std::string stem = (function + ".comm.bounds").str(), name = stem;
  for (unsigned next = 1; module.lookupSymbol(name); ++next)
    name = stem + "." + std::to_string(next);
  return name;
}

/// Returns true if a function can do the same as these operations: numbers, and questions to the runtime.
static bool mayLeave(Operation &op) {
  return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || isa<LLVM::CallOp>(op)) && !isa<LLVM::AllocaOp>(op);
}

/// Replaces the operations of a block by a call of a new function that contains them.
static void outline(LLVM::LLVMFuncOp function, LLVM::BrOp end) {
  Block *block = end->getBlock();
  auto ops = llvm::map_to_vector(block->without_terminator(), [](Operation &op) { return &op; });
  auto isMade = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && definition->getBlock() == block;
  };
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Value> outputs;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!isMade(operand))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return user == end || user->getBlock() != block; }))
        outputs.insert(result);
  }
  auto module = function->getParentOfType<ModuleOp>();
  MLIRContext *context = function.getContext();
  Location loc = end.getLoc();
  auto typesOf = [](ArrayRef<Value> values) {
    return llvm::map_to_vector(values, [](Value value) { return value.getType(); });
  };
  auto all = LLVM::LLVMStructType::getLiteral(context, typesOf(outputs.getArrayRef()));
  SmallVector<Type> taken = typesOf(inputs.getArrayRef());
  OpBuilder builder(context);
  builder.setInsertionPointAfter(function);
  auto made = LLVM::LLVMFuncOp::create(builder, loc, makeName(module, function.getName()),
                                       LLVM::LLVMFunctionType::get(all, taken), LLVM::Linkage::Internal,
                                       /*dsoLocal=*/true);
  made.setNoInline(true);
  made.setOptimizeNone(true);
  made.setNoUnwind(true);
  // Debuggers and profilers walk through it as through the function that it comes from.
  made.setUwtableKindAttr(function.getUwtableKindAttr());
  Block *body = made.addEntryBlock(builder);
  IRMapping map;
  map.map(inputs.getArrayRef(), body->getArguments());
  builder.setInsertionPointToStart(body);
  for (Operation *op : ops)
    builder.clone(*op, map);
  Value result = LLVM::UndefOp::create(builder, loc, all);
  for (auto [index, output] : llvm::enumerate(outputs))
    result = LLVM::InsertValueOp::create(builder, loc, result, map.lookup(output), static_cast<int64_t>(index));
  LLVM::ReturnOp::create(builder, loc, result);
  builder.setInsertionPoint(end);
  auto call = LLVM::CallOp::create(builder, loc, made, inputs.getArrayRef());
  for (auto [index, output] : llvm::enumerate(outputs)) {
    Value copy = LLVM::ExtractValueOp::create(builder, loc, call.getResult(), static_cast<int64_t>(index));
    Value(output).replaceUsesWithIf(copy, [&](OpOperand &use) { return !llvm::is_contained(ops, use.getOwner()); });
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

void OutlineBounds::runOnOperation() {
  for (auto function : llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>()))
    for (Block &block : function.getBody()) {
      auto end = block.empty() ? LLVM::BrOp() : dyn_cast<LLVM::BrOp>(block.back());
      if (!end || !end->removeAttr(kBoundsAttrName))
        continue;
      auto ops = block.without_terminator();
      if (block.getOperations().size() <= leastOperations || !llvm::all_of(ops, mayLeave))
        continue;
      outline(function, end);
      ++numOutlined;
    }
}
