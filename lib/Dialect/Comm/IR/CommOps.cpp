//===- CommOps.cpp - Verifiers and folders of single ops ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace comm;

namespace comm {
/// The type of a request in memory is spelled out: `request(%mem : !llvm.ptr)`.
static ParseResult parseRequest(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &request, Type &type) {
  type = RequestType::get(parser.getContext());
  if (parser.parseOperand(request))
    return failure();
  return succeeded(parser.parseOptionalColon()) ? parser.parseType(type) : ParseResult(success());
}

static void printRequest(OpAsmPrinter &printer, Operation *, Value request, Type type) {
  printer << request;
  if (!isa<RequestType>(type))
    printer << " : " << type;
}
} // namespace comm

#define GET_OP_CLASSES
#include "Comm/Dialect/Comm/IR/CommOps.cpp.inc"

static bool isHandleType(Type type) {
  return isa<CommunicatorType, DatatypeType, ReductionOpType, RequestType, MessageType, WindowType, GroupType, InfoType,
             StatusType>(type);
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getNameAttr(); }

LogicalResult ConstantOp::verify() {
  if (!getName().starts_with("MPI_"))
    return emitOpError("names '") << getName() << "', which is not an MPI constant: give a name that starts with MPI_";
  if (!isHandleType(getType()) && !getType().isIntOrIndex() && !isa<LLVM::LLVMPointerType>(getType()))
    return emitOpError("must be a handle, an integer or an address, got ") << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<CastOp>())
    if (inner.getInput().getType() == getType())
      return inner.getInput();
  return {};
}

LogicalResult CastOp::verify() {
  Type from = getInput().getType(), to = getType();
  auto isRepresentation = [](Type type) { return type.isInteger() || isa<LLVM::LLVMPointerType>(type); };
  if (from == to || (isHandleType(from) && isRepresentation(to)) || (isRepresentation(from) && isHandleType(to)))
    return success();
  return emitOpError("casts between a handle and its representation (an integer or !llvm.ptr), not from ")
         << from << " to " << to;
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

/// A wait for MPI_REQUEST_NULL returns immediately (MPI-4, 3.7.3). An operation followed directly by its wait is the
/// blocking operation.
LogicalResult WaitOp::canonicalize(WaitOp op, PatternRewriter &rewriter) {
  Value request = op.getRequest();
  if (getConstantName(request) == "MPI_REQUEST_NULL" && isa<RequestType>(request.getType()) && !op.getStatus() &&
      !op.getStatusResult() && !op.getError()) {
    rewriter.eraseOp(op);
    return success();
  }
  auto start = request.getDefiningOp<MPIOpInterface>();
  return start ? LogicalResult(mergeStartAndWait(rewriter, start, op)) : failure();
}

//===----------------------------------------------------------------------===//
// WaitIfOp
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> WaitIfOp::getParamNames() {
  static const StringRef names[] = {"request", "status"};
  return names;
}

void WaitIfOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  comm::detail::getMPIEffects(*this, effects);
}

//===----------------------------------------------------------------------===//
// WaitallIfOp
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> WaitallIfOp::getParamNames() {
  static const StringRef names[] = {"count", "array_of_requests"};
  return names;
}

void WaitallIfOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  comm::detail::getMPIEffects(*this, effects);
}
