//===- MPIOpVerifier.cpp - Verifier of MPI ops ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/MPIOpSupport.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace comm;

/// Whether a program may omit the parameter: C passes MPI_STATUS_IGNORE or NULL.
static bool mayBeAbsent(const mpi::Param &param) {
  return param.role == mpi::Role::Status || StringRef(param.name) == "argc" || StringRef(param.name) == "argv";
}

static bool isPresent(MPIOpInterface op, StringRef name) { return op.getParam(name) || op.getOutcome(name); }

static LogicalResult verifyMode(MPIOpInterface op) {
  const mpi::Function &function = op.getFunction();
  if (op.isAsync() && !function.hasNonblocking())
    return op.emitOpError() << "cannot be async: MPI has no nonblocking form of " << function.name;
  if (!function.hasNonblocking())
    return success();
  bool inMemory = op.getParam("request") != nullptr, asResult = op.getOutcome("request") != nullptr;
  if (!op.isAsync() && (inMemory || asResult))
    return op.emitOpError("is blocking and has no request: write 'async', or drop the request");
  if (op.isAsync() && inMemory == asResult)
    return op.emitOpError("is async and needs one request: a result '-> request', or 'request(%pointer : !llvm.ptr)'");
  for (const mpi::Param &param : function.params())
    if (op.isAsync() && param.role == mpi::Role::Status && isPresent(op, param.name))
      return op.emitOpError("is async and has no status: the wait that completes it has one");
  return success();
}

static LogicalResult verifyBuffer(MPIOpInterface op, unsigned index) {
  const mpi::Function &function = op.getFunction();
  const mpi::Param &param = function.params()[index];
  Value buffer = op.getParam(param.name);
  if (getConstantName(buffer) == "MPI_IN_PLACE") // the other buffer describes the message
    return success();
  auto memref = dyn_cast<MemRefType>(buffer.getType());
  for (int described : {function.countOf(index), function.datatypeOf(index)}) {
    if (described < 0)
      continue;
    const mpi::Param &part = function.params()[described];
    if (part.isArray)
      continue;
    bool present = op.getParam(part.name) != nullptr;
    if (memref && present)
      return op.emitOpError() << "has the memref '" << param.name << "', whose type implies '" << part.name
                              << "': drop it, or pass an !llvm.ptr";
    if (!memref && !present)
      return op.emitOpError() << "needs '" << part.name << "': '" << param.name
                              << "' is a pointer and does not imply it";
  }
  if (memref && !memref.getElementType().isIntOrFloat() && !isa<ComplexType>(memref.getElementType()))
    return op.emitOpError() << "has no MPI datatype for the elements of " << memref
                            << ": integers, floats and complex numbers have one";
  return success();
}

/// Whether a memref buffer implies the parameter, as its count or datatype. The target's count and datatype of a put
/// describe no buffer of this process.
static bool describesBuffer(const mpi::Function &function, unsigned index) {
  for (unsigned i = 0; i < index; ++i)
    if (function.params()[i].role == mpi::Role::Buffer &&
        (function.countOf(i) == static_cast<int>(index) || function.datatypeOf(i) == static_cast<int>(index)))
      return true;
  return false;
}

static LogicalResult verifyParam(MPIOpInterface op, unsigned index) {
  const mpi::Param &param = op.getFunction().params()[index];
  if (param.isScalarOut()) {
    bool inMemory = op.getParam(param.name) != nullptr, asResult = op.getOutcome(param.name) != nullptr;
    if (inMemory && asResult)
      return op.emitOpError() << "has '" << param.name << "' both in memory and as a result: keep one";
    if (!inMemory && !asResult && !mayBeAbsent(param))
      return op.emitOpError() << "needs '" << param.name << "', in memory or as a result";
    return success();
  }
  // Counts and datatypes are verified with their buffer, which may imply them.
  bool described = !param.isPointer && describesBuffer(op.getFunction(), index);
  if (described || mayBeAbsent(param))
    return success();
  OperandRange operands = comm::detail::getParamOperands(op, param.name);
  bool isArrayLength = StringRef(param.name).ends_with("count") && index + 1 < op.getFunction().numParams &&
                       op.getFunction().params()[index + 1].role == mpi::Role::Request;
  if (isArrayLength) {
    OperandRange requests = comm::detail::getParamOperands(op, op.getFunction().params()[index + 1].name);
    bool inMemory = llvm::any_of(requests, [](Value v) { return !isa<RequestType>(v.getType()); });
    if (inMemory == operands.empty())
      return op.emitOpError() << (inMemory ? "needs '" : "has !comm.request values and takes no '") << param.name
                              << (inMemory ? "': the number of requests in memory" : "'");
    return success();
  }
  if (param.role == mpi::Role::Request && param.isArray) {
    bool inMemory = llvm::any_of(operands, [](Value v) { return !isa<RequestType>(v.getType()); });
    if (inMemory && operands.size() != 1)
      return op.emitOpError() << "takes either !comm.request values or one pointer to all requests";
    return success();
  }
  if (operands.empty())
    return op.emitOpError() << "needs '" << param.name << "'";
  if (param.role == mpi::Role::Buffer)
    return verifyBuffer(op, index);
  return success();
}

/// Verifies that memrefs that share a count or datatype agree: a reduction's two buffers.
static LogicalResult verifyShared(MPIOpInterface op, unsigned index) {
  const mpi::Function &function = op.getFunction();
  bool isDatatype = function.params()[index].role == mpi::Role::Datatype;
  // Arguments that are only significant at the root may have any value elsewhere.
  bool isRooted = function.findParam("root") >= 0;
  const mpi::Param *first = nullptr;
  MemRefType firstType;
  for (unsigned i = 0; i < index; ++i) {
    const mpi::Param &param = function.params()[i];
    int described = isDatatype ? function.datatypeOf(i) : function.countOf(i);
    Value buffer = param.role == mpi::Role::Buffer ? op.getParam(param.name) : Value();
    auto type = buffer ? dyn_cast<MemRefType>(buffer.getType()) : MemRefType();
    if (described != static_cast<int>(index) || !type || getConstantName(buffer) == "MPI_IN_PLACE")
      continue;
    if (!first) {
      first = &param;
      firstType = type;
      continue;
    }
    if (isDatatype && type.getElementType() != firstType.getElementType())
      return op.emitOpError() << "has elements of type " << firstType.getElementType() << " in '" << first->name
                              << "' and of " << type.getElementType() << " in '" << param.name
                              << "', which have one datatype: pass buffers of one element type";
    bool isKnown = type.hasStaticShape() && firstType.hasStaticShape() && op.getPerRankBuffers().empty();
    if (!isDatatype && !isRooted && isKnown && type.getNumElements() < firstType.getNumElements())
      return op.emitOpError() << "has " << firstType.getNumElements() << " elements in '" << first->name << "' and "
                              << type.getNumElements() << " in '" << param.name
                              << "', which have one count: pass buffers of one size";
  }
  return success();
}

LogicalResult comm::detail::verifyMPIOp(MPIOpInterface op) {
  if (failed(verifyMode(op)))
    return failure();
  for (unsigned index = 0; index < op.getFunction().numParams; ++index)
    if (failed(verifyParam(op, index)) || failed(verifyShared(op, index)))
      return failure();
  return success();
}
