//===- CommToMPI.cpp - From comm to MLIR's mpi dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressible.cpp decides what can be converted; everything that it accepts has a form.
//
//===----------------------------------------------------------------------===//

#include "Expressible.h"

#include "../MPIToComm/OpTable.h"
#include "../MPIToComm/Retype.h"

#include "Comm/Conversion/Passes.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MPI/IR/MPI.h"

namespace comm {
#define GEN_PASS_DEF_CONVERTCOMMTOMPI
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;
namespace upstream = ::mlir::mpi;

namespace {
struct ConvertConstant : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    if (!isCommWorld(op))
      return failure();
    rewriter.replaceOpWithNewOp<upstream::CommWorldOp>(op, upstream::CommType::get(op.getContext()));
    return success();
  }
};

/// Converts a comparison of an error code, which has become an !mpi.retval. Without a type converter, the pattern gets
/// the retval itself rather than a cast to i32.
struct ConvertErrorCheck : OpConversionPattern<arith::CmpIOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool codeIsLeft = isa<upstream::RetvalType>(adaptor.getLhs().getType());
    Value code = codeIsLeft ? adaptor.getLhs() : adaptor.getRhs();
    auto errorClass = upstream::symbolizeMPI_ErrorClassEnum(getConstantName(codeIsLeft ? op.getRhs() : op.getLhs()));
    if (!isa<upstream::RetvalType>(code.getType()) || !errorClass)
      return failure();
    Value isOfClass =
        upstream::RetvalCheckOp::create(rewriter, op.getLoc(), rewriter.getI1Type(), code,
                                        upstream::MPI_ErrorClassEnumAttr::get(op.getContext(), *errorClass));
    if (op.getPredicate() == arith::CmpIPredicate::ne) {
      Value yes = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getBoolAttr(true));
      isOfClass = arith::XOrIOp::create(rewriter, op.getLoc(), isOfClass, yes);
    }
    rewriter.replaceOp(op, isOfClass);
    return success();
  }
};

/// Converts the ops of the table. Without a type converter, because of mpi.error_class.
class ConvertToMPIDialectOp : public OpInterfaceConversionPattern<MPIOpInterface> {
public:
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(MPIOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    const MPIDialectOp *entry = lookupMPIDialectOp(op);
    if (!entry)
      return failure();
    auto getOperand = [&](StringRef name) -> Value {
      OperandRange group = comm::detail::getParamOperands(op, name);
      return group.empty() ? Value() : operands[group.getBeginOperandIndex()];
    };
    OperationState state(op.getLoc(), entry->name);
    for (StringRef name : entry->params) {
      bool inPlace = name == "sendbuf" && getConstantName(op.getParam(name)) == "MPI_IN_PLACE";
      Value operand = getOperand(inPlace ? "recvbuf" : name);
      if (!operand)
        return failure();
      state.addOperands(operand);
    }
    if (Value reduction = op.getParam("op")) {
      auto reductionOp = upstream::symbolizeMPI_ReductionOpEnum(getConstantName(reduction));
      state.addAttribute("op", upstream::MPI_ReductionOpEnumAttr::get(op.getContext(), *reductionOp));
    }
    // The return value is the first result of every mpi op.
    Value error = op.getOutcome("error"), outcome = op.getOutcome(entry->outcome);
    if (error)
      state.addTypes(upstream::RetvalType::get(op.getContext()));
    if (outcome)
      state.addTypes(convertOutcomeType(outcome.getType(), entry->outcome));
    Operation *converted = rewriter.create(state);
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<Value> replacements(op->getNumResults());
    if (error)
      replacements[cast<OpResult>(error).getResultNumber()] = converted->getResult(0);
    if (outcome)
      replacements[cast<OpResult>(outcome).getResultNumber()] = converted->getResults().back();
    rewriter.replaceOp(op, replacements);
    return success();
  }

private:
  static Type convertOutcomeType(Type type, StringRef outcome) {
    if (outcome == "errorclass")
      return upstream::RetvalType::get(type.getContext());
    if (isa<CommunicatorType>(type))
      return upstream::CommType::get(type.getContext());
    if (isa<RequestType>(type))
      return upstream::RequestType::get(type.getContext());
    return type;
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ConvertCommToMPI : comm::impl::ConvertCommToMPIBase<ConvertCommToMPI> {
  void runOnOperation() override {
    MLIRContext &context = getContext();
    eraseRecalled(getOperation());
    ErrorChecks errorChecks;
    if (failed(checkExpressible(getOperation(), errorChecks)))
      return signalPassFailure();

    RetypingConverter converter([&](AttrTypeReplacer &replacer) {
      replacer.addReplacement([&](CommunicatorType) -> Type { return upstream::CommType::get(&context); });
      replacer.addReplacement([&](RequestType) -> Type { return upstream::RequestType::get(&context); });
      replacer.addReplacement([&](StatusType) -> Type { return upstream::StatusType::get(&context); });
    });
    ConversionTarget target(context);
    RewritePatternSet patterns(&context);
    populateRetyping(converter, patterns, target);
    target.addIllegalDialect<CommDialect>();
    // Constants that become attributes stay until their uses are gone.
    target.addDynamicallyLegalOp<ConstantOp>([](ConstantOp op) { return !isCommWorld(op); });
    target.addDynamicallyLegalOp<arith::CmpIOp>([&](arith::CmpIOp op) { return !errorChecks.contains(op); });
    patterns.add<ConvertConstant, ConvertErrorCheck, ConvertToMPIDialectOp>(&context);
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();

    getOperation()->walk([](Operation *op) {
      // Tools that do not know comm reject its attributes.
      for (NamedAttribute attribute : llvm::make_early_inc_range(op->getDiscardableAttrs()))
        if (attribute.getName().getValue().starts_with("comm."))
          op->removeDiscardableAttr(attribute.getName());
      if (isa<ConstantOp>(op) && op->use_empty())
        op->erase();
    });
  }
};
} // namespace
