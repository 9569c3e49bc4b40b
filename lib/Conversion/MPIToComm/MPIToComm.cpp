//===- MPIToComm.cpp - From MLIR's mpi dialect to comm --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is checked first, so that all errors are reported together, each with its cause. The conversion then finds
// a form for every operation. It replaces operations in place: their order and number stay the same, even for
// mpi.comm_split, which upstream declares pure although it is collective.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Retype.h"

#include "Comm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_CONVERTMPITOCOMM
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;
namespace upstream = ::mlir::mpi;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks that MPI_Allreduce accepts the operator (MPI-4, 6.9.2; 6.9.4 for pairs).
static LogicalResult checkReduction(upstream::AllReduceOp op) {
  StringRef name = stringifyMPI_ReductionOpEnum(op.getOp());
  switch (op.getOp()) {
  case upstream::MPI_ReductionOpEnum::MPI_OP_NULL:
    return op.emitOpError() << "reduces with " << name << ", which is not an operator: name one, such as MPI_SUM";
  case upstream::MPI_ReductionOpEnum::MPI_REPLACE:
    return op.emitOpError() << "reduces with " << name
                            << ", which MPI has for one-sided communication only (MPI-4, 12.3.4): use another operator";
  case upstream::MPI_ReductionOpEnum::MPI_MINLOC:
  case upstream::MPI_ReductionOpEnum::MPI_MAXLOC:
    return op.emitOpError() << "reduces with " << name
                            << ", which needs pairs of value and index (MPI-4, 6.9.4), and no memref has such "
                               "elements: reduce values and indices in two steps";
  default:
    break;
  }
  auto send = cast<MemRefType>(op.getSendbuf().getType()), recv = cast<MemRefType>(op.getRecvbuf().getType());
  if (send.getElementType() != recv.getElementType())
    return op.emitOpError() << "sends elements of type " << send.getElementType() << " and receives "
                            << recv.getElementType() << ": MPI_Allreduce has one datatype";
  if (send.hasStaticShape() && recv.hasStaticShape() && send.getNumElements() != recv.getNumElements())
    return op.emitOpError() << "sends " << send.getNumElements() << " elements and receives " << recv.getNumElements()
                            << ": MPI_Allreduce has one count";
  return success();
}

static LogicalResult checkOp(Operation *op) {
  if (!isa<upstream::CommWorldOp, upstream::RetvalCheckOp>(op) &&
      llvm::none_of(getMPIDialectOps(), [&](const MPIDialectOp &e) { return e.name == op->getName().getStringRef(); }))
    // Untested: all operations of MLIR 22 have a form. This is for operations of later releases.
    return op->emitOpError("has no counterpart in the comm dialect: remove it, or call MPI's C function");
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    std::string reason;
    if (type && !isMessageBuffer(type, reason))
      return op->emitOpError() << "cannot be converted to comm with a buffer of type " << type << ": " << reason;
  }
  if (auto allreduce = dyn_cast<upstream::AllReduceOp>(op))
    return checkReduction(allreduce);
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static Value createConstant(OpBuilder &builder, Location loc, StringRef name, Type type) {
  return ConstantOp::create(builder, loc, type, builder.getStringAttr(name));
}

namespace {
struct ConvertCommWorld : OpConversionPattern<upstream::CommWorldOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(upstream::CommWorldOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       createConstant(rewriter, op.getLoc(), "MPI_COMM_WORLD", CommunicatorType::get(op.getContext())));
    return success();
  }
};

/// An error code belongs to an error class but need not equal it, except for MPI_SUCCESS (MPI-4, 9.4).
struct ConvertRetvalCheck : OpConversionPattern<upstream::RetvalCheckOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(upstream::RetvalCheckOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value code = adaptor.getVal();
    upstream::MPI_ErrorClassEnum errorClass = op.getErrclass();
    if (errorClass != upstream::MPI_ErrorClassEnum::MPI_SUCCESS)
      code =
          createMPIOp(rewriter, op.getLoc(), "MPI_Error_class", Mode::blocking, {{"errorcode", code}}, {"errorclass"})
              .getOutcome("errorclass");
    Value wanted =
        createConstant(rewriter, op.getLoc(), stringifyMPI_ErrorClassEnum(errorClass), rewriter.getI32Type());
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::eq, code, wanted);
    return success();
  }
};

/// Converts the ops of the table.
class ConvertMPIDialectOp : public ConversionPattern {
public:
  ConvertMPIDialectOp(const TypeConverter &converter, const MPIDialectOp &entry, MLIRContext *context)
      : ConversionPattern(converter, entry.name, /*benefit=*/1, context), entry(entry) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<NamedParam> params;
    for (auto [name, value] : llvm::zip_equal(entry.params, operands))
      params.emplace_back(name, value);
    if (auto allreduce = dyn_cast<upstream::AllReduceOp>(op)) {
      params.emplace_back("op", createConstant(rewriter, op->getLoc(), stringifyMPI_ReductionOpEnum(allreduce.getOp()),
                                               ReductionOpType::get(op->getContext())));
      // Upstream expresses an in-place operation by using the same buffer twice. MPI otherwise forbids such aliasing.
      if (allreduce.getSendbuf() == allreduce.getRecvbuf())
        params[0] = {"sendbuf", createConstant(rewriter, op->getLoc(), "MPI_IN_PLACE",
                                               LLVM::LLVMPointerType::get(op->getContext()))};
    }
    SmallVector<StringRef> outcomes;
    for (OpResult result : op->getResults())
      outcomes.push_back(entry.getOutcome(result));
    MPIOpInterface converted = createMPIOp(rewriter, op->getLoc(), entry.function, entry.mode, params, outcomes);
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<Value> results;
    for (StringRef outcome : outcomes)
      results.push_back(converted.getOutcome(outcome));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  const MPIDialectOp &entry;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ConvertMPIToComm : comm::impl::ConvertMPIToCommBase<ConvertMPIToComm> {
  void runOnOperation() override {
    MLIRContext &context = getContext();
    RetypingConverter converter([&](AttrTypeReplacer &replacer) {
      replacer.addReplacement([&](upstream::CommType) -> Type { return CommunicatorType::get(&context); });
      replacer.addReplacement([&](upstream::RequestType) -> Type { return RequestType::get(&context); });
      replacer.addReplacement([&](upstream::StatusType) -> Type { return StatusType::get(&context); });
      replacer.addReplacement([&](upstream::RetvalType) -> Type { return IntegerType::get(&context, 32); });
    });

    auto isUpstream = [](Operation *op) { return op->getName().getDialectNamespace() == "mpi"; };
    bool failedCheck = false;
    getOperation()->walk([&](Operation *op) { failedCheck |= isUpstream(op) && failed(checkOp(op)); });
    if (failedCheck)
      return signalPassFailure();
    getOperation()->walk([&](FunctionOpInterface function) {
      WalkResult found = function->walk([&](Operation *op) {
        return isUpstream(op) || !converter.isLegalOp(op) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (found.wasInterrupted())
        function->setAttr(kChangedAttrName, UnitAttr::get(&context));
    });

    ConversionTarget target(context);
    RewritePatternSet patterns(&context);
    target.addIllegalDialect<upstream::MPIDialect>();
    populateRetyping(converter, patterns, target);
    patterns.add<ConvertCommWorld, ConvertRetvalCheck>(converter, &context);
    for (const MPIDialectOp &entry : getMPIDialectOps())
      patterns.add<ConvertMPIDialectOp>(converter, entry, &context);
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
