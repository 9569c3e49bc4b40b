//===- CommToLLVMPass.cpp - The pass convert-comm-to-llvm -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "CallBuilder.h"
#include "Comm/Conversion/CommToLLVM.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace comm {
#define GEN_PASS_DEF_CONVERTCOMMTOLLVM
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
/// Rebuilds ops of other dialects that carry handles (branches, calls, selects) with converted types.
struct ConvertCarrier : public ConversionPattern {
  ConvertCarrier(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (op->getName().getDialectNamespace() == "comm" || op->getNumRegions() != 0)
      return failure();
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), results)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, results, op->getAttrs(), op->getSuccessors());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

/// Converts a function's signature and all its blocks: branches of any dialect pass handles as arguments.
struct ConvertFunction : public OpInterfaceConversionPattern<FunctionOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(FunctionOpInterface op, ArrayRef<Value>,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    TypeConverter::SignatureConversion arguments(op.getNumArguments());
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)) ||
        failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(), arguments)))
      return failure();
    if (!op.isExternal() && failed(rewriter.convertRegionTypes(&op.getFunctionBody(), *getTypeConverter(), &arguments)))
      return failure();
    rewriter.modifyOpInPlace(op, [&]() {
      if (isa<FunctionType>(op.getFunctionType()))
        op.setType(FunctionType::get(op.getContext(), arguments.getConvertedTypes(), results));
    });
    return success();
  }
};

struct ConvertCommToLLVMPass : public comm::impl::ConvertCommToLLVMBase<ConvertCommToLLVMPass> {
  using ConvertCommToLLVMBase::ConvertCommToLLVMBase;

  void runOnOperation() override;
  const mpi::ABI *chooseABI();
};
} // namespace

/// Erases the casts made by reloadForwardedRequests, and reports an error if values of comm types remain.
static LogicalResult verifyNoCommLeft(ModuleOp module) {
  auto isComm = [](Type type) { return isa<CommDialect>(type.getDialect()); };
  WalkResult result = module.walk([&](Operation *op) {
    if (isa<UnrealizedConversionCastOp>(op) && op->use_empty()) {
      op->erase();
      return WalkResult::advance();
    }
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (isComm(type)) {
          op->emitOpError() << "still has a value of type " << type
                            << ": convert it to a form without comm types before convert-comm-to-llvm";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Returns null if there is nothing to convert, or after an error.
const mpi::ABI *ConvertCommToLLVMPass::chooseABI() {
  ModuleOp module = getOperation();
  StringRef name = getABIName(abi, module);
  if (!name.empty()) {
    const mpi::ABI *chosen = lookupABI(name, module);
    if (!chosen)
      signalPassFailure();
    return chosen;
  }
  Operation *first = nullptr;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "comm")
      return WalkResult::advance();
    first = op;
    return WalkResult::interrupt();
  });
  if (first) {
    first->emitOpError("is to be lowered for an MPI implementation, but none is named: set the option abi");
    signalPassFailure();
  }
  return nullptr;
}

void ConvertCommToLLVMPass::runOnOperation() {
  ModuleOp module = getOperation();
  const mpi::ABI *chosen = chooseABI();
  if (!chosen)
    return;
  if (failed(verifyConvertibleToLLVM(module, *chosen)))
    return signalPassFailure();
  eraseRecalled(module);
  module->removeAttr(kABIAttrName);
  module->removeAttr(kAcrossVariablesAttrName);
  module.walk([&](MPIOpInterface) { ++numCalls; });
  reloadForwardedRequests(module, *chosen);
  followPredictions(module);
  guardLeftWaits(module, *chosen);

  MLIRContext *context = &getContext();
  LLVMTypeConverter converter(context);
  populateCommToLLVMTypeConversions(converter, *chosen);
  // Other dialects keep their types, so that their conversions can run before or after.
  TypeConverter carrierTypes;
  carrierTypes.addConversion([](Type type) { return type; });
  populateCommToLLVMTypeConversions(carrierTypes, *chosen);
  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs).getResult(0);
  };
  carrierTypes.addSourceMaterialization(materialize);
  carrierTypes.addTargetMaterialization(materialize);

  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  populateCommToLLVMConversionPatterns(converter, patterns, *chosen);
  patterns.add<ConvertCarrier, ConvertFunction>(carrierTypes, context);
  scf::populateSCFStructuralTypeConversionsAndLegality(carrierTypes, patterns, target);
  target.addIllegalDialect<CommDialect>();
  target.addLegalOp<UnrealizedConversionCastOp>();
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      if (!carrierTypes.isLegal(function.getArgumentTypes()) || !carrierTypes.isLegal(function.getResultTypes()))
        return false;
    for (Region &region : op->getRegions())
      if (!carrierTypes.isLegal(&region))
        return false;
    return carrierTypes.isLegal(op);
  });
  if (failed(applyPartialConversion(module, target, std::move(patterns))) || failed(verifyNoCommLeft(module)))
    signalPassFailure();
}
