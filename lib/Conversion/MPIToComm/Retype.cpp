//===- Retype.cpp - Replaces types in every operation ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Retype.h"

#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace mlir;
using namespace comm;

RetypingConverter::RetypingConverter(function_ref<void(AttrTypeReplacer &)> addReplacements) {
  addReplacements(replacer);
  addConversion([this](Type type) { return replacer.replace(type); });
}

bool RetypingConverter::isLegalOp(Operation *op) const {
  return isLegal(op) && llvm::all_of(op->getRegions(), [&](Region &region) { return isLegal(&region); }) &&
         convertAttribute(op->getAttrDictionary()) == op->getAttrDictionary();
}

namespace {
/// Rebuilds an operation that upstream has no pattern for, such as arith.select, with the new types. If it does not
/// support them, its verifier reports that.
class RetypeAnyOp : public ConversionPattern {
public:
  RetypeAnyOp(const RetypingConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0, context), retyping(converter) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (retyping.isLegalOp(op))
      return failure();
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    for (Type type : op->getResultTypes())
      state.addTypes(getTypeConverter()->convertType(type));
    for (NamedAttribute attribute : op->getAttrs())
      state.addAttribute(attribute.getName(), retyping.convertAttribute(attribute.getValue()));
    state.addSuccessors(op->getSuccessors());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *retyped = rewriter.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), retyped->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      if (!to.empty() && failed(rewriter.convertRegionTypes(&to, *getTypeConverter())))
        return failure();
    }
    rewriter.replaceOp(op, retyped->getResults());
    return success();
  }

private:
  const RetypingConverter &retyping;
};
} // namespace

void comm::populateRetyping(const RetypingConverter &converter, RewritePatternSet &patterns, ConversionTarget &target) {
  target.markUnknownOpDynamicallyLegal([&](Operation *op) { return converter.isLegalOp(op); });
  populateAnyFunctionOpInterfaceTypeConversionPattern(patterns, converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  populateBranchOpInterfaceTypeConversionPattern(patterns, converter);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  patterns.add<RetypeAnyOp>(converter, patterns.getContext());
}
