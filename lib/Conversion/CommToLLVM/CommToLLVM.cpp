//===- CommToLLVM.cpp - comm ops become calls of MPI functions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A single pattern for all MPI operations: the tables describe each parameter of the function, and the op has it as an
// operand, or something that implies it.
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/CommToLLVM.h"

#include "CallBuilder.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/MPI/Sums.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Transforms/DialectConversion.h"

#include <memory>

using namespace mlir;
using namespace comm;

void comm::populateCommToLLVMTypeConversions(TypeConverter &converter, const mpi::ABI &abi) {
  converter.addConversion([&abi](Type type) -> std::optional<Type> {
    if (auto handleClass = getHandleClass(type))
      return getHandleType(*handleClass, abi, type.getContext());
    if (isa<StatusType>(type))
      return getStatusType(abi, type.getContext());
    return std::nullopt;
  });
}

namespace {
/// The memory for each !comm.request value whose address is passed to MPI. There is one slot per value, so that a test
/// that completes a request and a later wait see the same handle.
struct RequestSlots {
  DenseMap<Value, Value> slots;

  /// `handle` is the converted `request`.
  Value get(CallBuilder &calls, Value request, Value handle) {
    Value &slot = slots[request];
    if (slot)
      return slot;
    slot = calls.createSlot(handle.getType());
    OpBuilder &builder = calls.builder;
    OpBuilder::InsertionGuard guard(builder);
    Operation *definition = handle.getDefiningOp();
    Block *entry = slot.getParentBlock();
    if (definition)
      builder.setInsertionPointAfter(definition);
    else if (handle.getParentBlock() == entry)
      builder.setInsertionPointAfter(slot.getDefiningOp());
    else
      builder.setInsertionPointToStart(handle.getParentBlock());
    LLVM::StoreOp::create(builder, calls.loc, handle, slot);
    return slot;
  }
};

struct State {
  const mpi::ABI &abi;
  const LLVMTypeConverter &converter;
  RequestSlots requests;
};
using StatePtr = std::shared_ptr<State>;

struct ConstantLowering : public OpConversionPattern<ConstantOp> {
  ConstantLowering(StatePtr state, MLIRContext *context)
      : OpConversionPattern(state->converter, context), state(std::move(state)) {}

  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto representation = getRepresentationOf(op.getName(), op.getType(), state->abi);
    if (!representation)
      return rewriter.notifyMatchFailure(op, "the implementation has no such constant");
    CallBuilder calls(rewriter, op, state->abi);
    rewriter.replaceOp(op, calls.createConstant(*representation, getTypeConverter()->convertType(op.getType())));
    return success();
  }
  StatePtr state;
};

struct CastLowering : public OpConversionPattern<CastOp> {
  CastLowering(StatePtr state, MLIRContext *context)
      : OpConversionPattern(state->converter, context), state(std::move(state)) {}

  LogicalResult matchAndRewrite(CastOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput();
    Type result = getTypeConverter()->convertType(op.getType());
    CallBuilder calls(rewriter, op, state->abi);
    Type from = op.getInput().getType();
    if (isa<StatusType>(from) && isa<LLVM::LLVMPointerType>(result)) {
      Value slot = calls.createSlot(input.getType());
      LLVM::StoreOp::create(rewriter, op.getLoc(), input, slot);
      rewriter.replaceOp(op, slot);
    } else if (isa<StatusType>(op.getType()) && isa<LLVM::LLVMPointerType>(input.getType())) {
      rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, result, input);
    } else if (input.getType() != result) {
      return rewriter.notifyMatchFailure(op, "the implementation represents the handle otherwise");
    } else if (isa<RequestType>(from)) {
      Value slot = state->requests.get(calls, op.getInput(), input);
      rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, result, slot);
    } else {
      rewriter.replaceOp(op, input);
    }
    return success();
  }
  StatePtr state;
};

/// Lowers one op.
class OpLowering {
public:
  OpLowering(MPIOpInterface op, ArrayRef<Value> operands, ConversionPatternRewriter &rewriter, State &state)
      : op(op), operands(operands), rewriter(rewriter), state(state), calls(rewriter, op, state.abi),
        pointer(LLVM::LLVMPointerType::get(op->getContext())) {}

  LogicalResult run();

private:
  Value buildArgument(const mpi::Param &param);
  Value passInMemory(const mpi::Param &param, Value value, Value converted);
  Value passRequests(OperandRange requests);
  Value passAbsent(const mpi::Param &param);
  bool isPerRank(Value buffer);
  Value countElements(Value buffer);
  SmallVector<Value> findOthersOfCount(const mpi::Param &param, Value buffer);
  Value passCount(const mpi::Param &param, Value buffer, Type type);
  Value getConverted(OpOperand &operand) { return operands[operand.getOperandNumber()]; }
  Value getConverted(Value value);
  Value loadOutcome(StringRef name, Type type);

  MPIOpInterface op;
  ArrayRef<Value> operands;
  ConversionPatternRewriter &rewriter;
  State &state;
  CallBuilder calls;
  Type pointer;
  /// Slots for the results of the op, which MPI writes.
  llvm::StringMap<Value> outcomeSlots;
  /// Requests to read back from the array that was passed to MPI.
  SmallVector<std::pair<Value, Value>> readBack;
};

/// MPI_Wait for the request, or for a null request: a branch would split blocks, which regions of other dialects do not
/// allow.
struct WaitIfLowering : public OpConversionPattern<WaitIfOp> {
  WaitIfLowering(StatePtr state, MLIRContext *context)
      : OpConversionPattern(state->converter, context, /*benefit=*/2), state(std::move(state)) {}

  LogicalResult matchAndRewrite(WaitIfOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    const mpi::Function &wait = *mpi::lookupFunction("MPI_Wait");
    CallBuilder calls(rewriter, op, state->abi);
    Location loc = op.getLoc();
    Value condition = adaptor.getCondition();
    Type handle = adaptor.getRequest().getType();
    Value slot = state->requests.get(calls, op.getRequest(), adaptor.getRequest()), none = calls.createSlot(handle);
    LLVM::StoreOp::create(rewriter, loc, calls.createConstant(*state->abi.getHandle("MPI_REQUEST_NULL"), handle), none);
    Value request = LLVM::SelectOp::create(rewriter, loc, condition, slot, none);
    Value ignore =
        calls.createConstant(*state->abi.getAddress("MPI_STATUS_IGNORE"), LLVM::LLVMPointerType::get(op.getContext()));
    Value status = adaptor.getStatus();
    status = status ? LLVM::SelectOp::create(rewriter, loc, condition, status, ignore).getResult() : ignore;
    calls.createCall(wait, {request, status});
    rewriter.eraseOp(op);
    return success();
  }
  StatePtr state;
};

/// MPI_Waitall for the requests, or for none.
struct WaitallIfLowering : public OpConversionPattern<WaitallIfOp> {
  WaitallIfLowering(StatePtr state, MLIRContext *context)
      : OpConversionPattern(state->converter, context, /*benefit=*/2), state(std::move(state)) {}

  LogicalResult matchAndRewrite(WaitallIfOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    CallBuilder calls(rewriter, op, state->abi);
    Value count = calls.fitInteger(adaptor.getCount(), rewriter.getI32Type(), /*isCount=*/true);
    Value none = calls.createInteger(rewriter.getI32Type(), 0);
    count = LLVM::SelectOp::create(rewriter, op.getLoc(), adaptor.getCondition(), count, none);
    Value ignore = calls.createConstant(*state->abi.getAddress("MPI_STATUSES_IGNORE"),
                                        LLVM::LLVMPointerType::get(op.getContext()));
    calls.createCall(*mpi::lookupFunction("MPI_Waitall"), {count, adaptor.getArrayOfRequests(), ignore});
    rewriter.eraseOp(op);
    return success();
  }
  StatePtr state;
};

struct MPIOpLowering : public OpInterfaceConversionPattern<MPIOpInterface> {
  MPIOpLowering(StatePtr state, MLIRContext *context)
      : OpInterfaceConversionPattern(state->converter, context), state(std::move(state)) {}

  LogicalResult matchAndRewrite(MPIOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    // The driver may try this pattern first, despite the benefits, and it would ignore the condition.
    if (isConditionalWait(op))
      return rewriter.notifyMatchFailure(op, "has a lowering of its own");
    return OpLowering(op, operands, rewriter, *state).run();
  }
  StatePtr state;
};
} // namespace

Value OpLowering::getConverted(Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value)
      return getConverted(operand);
  return {};
}

/// Returns the argument for a parameter that C passes by address.
Value OpLowering::passInMemory(const mpi::Param &param, Value value, Value converted) {
  if (auto memref = dyn_cast<MemRefType>(value.getType())) {
    MemRefDescriptor descriptor(converted);
    return descriptor.bufferPtr(rewriter, op->getLoc(), state.converter, memref);
  }
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return converted;
  if (isa<RequestType>(value.getType()))
    return state.requests.get(calls, value, converted);
  Value slot = calls.createSlot(converted.getType());
  LLVM::StoreOp::create(rewriter, op->getLoc(), converted, slot);
  return slot;
}

/// Creates an array of the requests' handles. Reads back what MPI writes to it, unless all requests complete and are
/// null.
Value OpLowering::passRequests(OperandRange requests) {
  Type type = getHandleType(mpi::HandleClass::Request, state.abi, op->getContext());
  Value array = calls.createSlot(type, std::max<size_t>(requests.size(), 1));
  bool completesAll = cast<CompletionOpInterface>(op.getOperation()).completesAll();
  for (auto [index, request] : llvm::enumerate(requests)) {
    Value slot = state.requests.get(calls, request, getConverted(request));
    Value handle = LLVM::LoadOp::create(rewriter, op->getLoc(), type, slot);
    Value element = LLVM::GEPOp::create(rewriter, op->getLoc(), pointer, type, array,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(rewriter, op->getLoc(), handle, element);
    if (!completesAll)
      readBack.push_back({element, slot});
  }
  return array;
}

bool OpLowering::isPerRank(Value buffer) {
  return llvm::any_of(op.getPerRankBuffers(), [&](StringRef name) { return op.getParam(name) == buffer; });
}

/// Returns the number of elements in the buffer, or in its block for each process.
Value OpLowering::countElements(Value buffer) {
  auto memref = cast<MemRefType>(buffer.getType());
  Location loc = op->getLoc();
  Type wide = rewriter.getI64Type();
  Value count;
  if (memref.hasStaticShape()) {
    count = calls.createInteger(wide, memref.getNumElements());
  } else {
    MemRefDescriptor descriptor(getConverted(buffer));
    count = calls.createInteger(wide, 1);
    for (int64_t dim = 0; dim < memref.getRank(); ++dim) {
      Value size = calls.fitInteger(descriptor.size(rewriter, loc, dim), wide, false);
      count = LLVM::MulOp::create(rewriter, loc, count, size);
    }
  }
  if (!isPerRank(buffer))
    return count;
  const mpi::Function &size = *mpi::lookupFunction("MPI_Comm_size");
  Value slot = calls.createSlot(rewriter.getI32Type());
  calls.createCall(size, {getConverted(op.getCommunicator()), slot});
  Value ranks = LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(), slot);
  return LLVM::SDivOp::create(rewriter, loc, count, calls.fitInteger(ranks, wide, false));
}

/// Returns the other memrefs to which the buffer's count applies, and which the verifier could not compare with it.
SmallVector<Value> OpLowering::findOthersOfCount(const mpi::Param &param, Value buffer) {
  const mpi::Function &function = op.getFunction();
  SmallVector<Value> others;
  // Arguments that are only significant at the root may have any value elsewhere.
  if (function.findParam("root") >= 0)
    return others;
  bool isStatic = cast<MemRefType>(buffer.getType()).hasStaticShape();
  for (unsigned i = 0; i < function.numParams; ++i) {
    Value other = function.params()[i].role == mpi::Role::Buffer ? op.getParam(function.params()[i].name) : Value();
    auto memref = other ? dyn_cast<MemRefType>(other.getType()) : MemRefType();
    if (!memref || other == buffer || function.countOf(i) != function.findParam(param.name) ||
        getConstantName(other) == "MPI_IN_PLACE")
      continue;
    if (!isStatic || !memref.hasStaticShape() || isPerRank(other))
      others.push_back(other);
  }
  return others;
}

/// Returns the count that the buffer implies, or -1, which MPI rejects, if it does not fit or another buffer is
/// smaller.
Value OpLowering::passCount(const mpi::Param &param, Value buffer, Type type) {
  auto memref = cast<MemRefType>(buffer.getType());
  SmallVector<Value> others = findOthersOfCount(param, buffer);
  if (others.empty() && memref.hasStaticShape() && !isPerRank(buffer))
    return calls.createInteger(type, memref.getNumElements());
  Value count = countElements(buffer);
  for (Value other : others) {
    Value most = countElements(other), refused = calls.createInteger(count.getType(), -1);
    Value fits = LLVM::ICmpOp::create(rewriter, op->getLoc(), LLVM::ICmpPredicate::sle, count, most);
    count = LLVM::SelectOp::create(rewriter, op->getLoc(), fits, count, refused);
  }
  return calls.fitInteger(count, type, /*isCount=*/true);
}

/// Returns the argument for a parameter that is not an operand of the op.
Value OpLowering::passAbsent(const mpi::Param &param) {
  MLIRContext *context = op->getContext();
  StringRef name = param.name;
  if (op.getOutcome(name)) {
    Type type =
        param.role == mpi::Role::Status ? getStatusType(state.abi, context) : getObjectType(param, state.abi, context);
    Value slot = outcomeSlots[name] = calls.createSlot(type);
    // If the start fails and an error handler returns, MPI need not have written the request. The wait must not read an
    // uninitialized handle.
    if (auto null = param.role == mpi::Role::Request ? state.abi.getHandle("MPI_REQUEST_NULL") : std::nullopt)
      LLVM::StoreOp::create(rewriter, op->getLoc(), calls.createConstant(*null, type), slot);
    return slot;
  }
  if (param.role == mpi::Role::Status)
    return calls.createConstant(*state.abi.getAddress(getStatusIgnoreName(param)), pointer);
  if (param.isPointer || param.isArray)
    return LLVM::ZeroOp::create(rewriter, op->getLoc(), pointer);
  Type type = getParamType(param, state.abi, context);
  Value buffer = getImplyingBuffer(op, param);
  if (buffer && param.role == mpi::Role::Datatype) {
    StringRef datatype = getMPIDatatypeName(cast<MemRefType>(buffer.getType()).getElementType());
    return calls.createConstant(*state.abi.getHandle(datatype), type);
  }
  if (buffer)
    return passCount(param, buffer, type);
  // The number of requests among the operands.
  if (auto completion = dyn_cast<CompletionOpInterface>(op.getOperation()))
    return calls.createInteger(type, completion.getRequests().size());
  return {};
}

Value OpLowering::buildArgument(const mpi::Param &param) {
  OperandRange values = ::comm::detail::getParamOperands(op, param.name);
  if (values.empty() && !(param.role == mpi::Role::Request && param.isArray && param.reads()))
    return passAbsent(param);
  bool inMemory = param.isPointer || param.isArray;
  if (param.role == mpi::Role::Request && param.isArray &&
      (values.empty() || isa<RequestType>(values.front().getType())))
    return passRequests(values);
  Value value = values.front(), converted = operands[values.getBeginOperandIndex()];
  if (inMemory || param.role == mpi::Role::Buffer)
    return passInMemory(param, value, converted);
  if (getHandleClass(param.role))
    return converted;
  return calls.fitInteger(converted, getParamType(param, state.abi, op->getContext()), param.role == mpi::Role::Count);
}

Value OpLowering::loadOutcome(StringRef name, Type type) {
  Value slot = outcomeSlots.lookup(name);
  Type converted = state.converter.convertType(type);
  if (!type.isInteger(1))
    return LLVM::LoadOp::create(rewriter, op->getLoc(), converted, slot);
  Value logical = LLVM::LoadOp::create(rewriter, op->getLoc(), rewriter.getI32Type(), slot);
  return LLVM::ICmpOp::create(rewriter, op->getLoc(), LLVM::ICmpPredicate::ne, logical,
                              calls.createInteger(rewriter.getI32Type(), 0));
}

LogicalResult OpLowering::run() {
  const mpi::Function *function = getFunctionToCall(op);
  if (!function || !state.abi.hasFunction(function->name))
    return rewriter.notifyMatchFailure(op, "the implementation has no such function");
  SmallVector<Value> arguments;
  for (const mpi::Param &param : function->params()) {
    Value argument = buildArgument(param);
    if (!argument)
      return rewriter.notifyMatchFailure(op, "an argument is missing");
    arguments.push_back(argument);
  }
  auto kind = op.isAsync() ? op->getAttrOfType<StringAttr>(kStartKindAttrName) : StringAttr();
  std::optional<mpi::StartKind> start = kind ? mpi::symbolizeStartKind(kind.getValue()) : std::nullopt;
  LLVM::CallOp call = start ? calls.createCall(*function, arguments, {}, mpi::getStartName(function->blocking, *start))
                            : calls.createCall(*function, arguments,
                                               dyn_cast_or_null<DictionaryAttr>(op->getDiscardableAttr(kCallAttrName)));
  for (auto [element, slot] : readBack) {
    Type type = getHandleType(mpi::HandleClass::Request, state.abi, op->getContext());
    Value handle = LLVM::LoadOp::create(rewriter, op->getLoc(), type, element);
    LLVM::StoreOp::create(rewriter, op->getLoc(), handle, slot);
  }
  SmallVector<Value> results;
  for (auto [index, name] : llvm::enumerate(op.getOutcomeNames()))
    for (Value result : op.getOutcomeResults(index)) {
      results.push_back(name == "error" ? call.getResult() : loadOutcome(name, result.getType()));
      if (isa<RequestType>(result.getType()))
        state.requests.slots[result] = outcomeSlots.lookup(name);
    }
  rewriter.replaceOp(op, results);
  return success();
}

void comm::populateCommToLLVMConversionPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                                const mpi::ABI &abi) {
  auto state = std::make_shared<State>(State{abi, converter, RequestSlots()});
  patterns.add<ConstantLowering, CastLowering, WaitIfLowering, WaitallIfLowering, MPIOpLowering>(state,
                                                                                                 patterns.getContext());
}
