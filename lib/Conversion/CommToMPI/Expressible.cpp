//===- Expressible.cpp - Limits of the mpi dialect ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expressible.h"

#include "../MPIToComm/OpTable.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MPI/IR/MPI.h"

using namespace mlir;
using namespace comm;

static constexpr StringLiteral advice = ": use convert-comm-to-llvm instead";

bool comm::isCommWorld(ConstantOp op) {
  return op.getName() == "MPI_COMM_WORLD" && isa<CommunicatorType>(op.getType());
}

static InFlightDiagnostic inexpressible(Operation *op) {
  return op->emitOpError("cannot be converted to the mpi dialect, ");
}

/// A return value is opaque in the mpi dialect: it can only be classified and compared with an error class.
static LogicalResult checkErrorUses(Operation *op, Value code, ErrorChecks &checks) {
  for (Operation *user : code.getUsers()) {
    if (auto mpiOp = dyn_cast<MPIOpInterface>(user); mpiOp && mpiOp.getParam("errorcode") == code)
      continue;
    auto compare = dyn_cast<arith::CmpIOp>(user);
    bool isEquality = compare && (compare.getPredicate() == arith::CmpIPredicate::eq ||
                                  compare.getPredicate() == arith::CmpIPredicate::ne);
    if (isEquality && compare.getLhs() != compare.getRhs()) {
      Value other = compare.getLhs() == code ? compare.getRhs() : compare.getLhs();
      auto constant = other.getDefiningOp<ConstantOp>();
      if (constant && mlir::mpi::symbolizeMPI_ErrorClassEnum(constant.getName())) {
        checks.insert(user);
        continue;
      }
    }
    InFlightDiagnostic diagnostic = inexpressible(op)
                                    << "whose return values can only be compared with an error class: compare it with "
                                       "comm.constant \"MPI_SUCCESS\", or use convert-comm-to-llvm instead";
    diagnostic.attachNote(user->getLoc()) << "the error code is used here";
    return diagnostic;
  }
  return success();
}

static LogicalResult checkOperand(MPIOpInterface op, StringRef name, Value value) {
  if (name == "op") {
    StringRef constant = getConstantName(value);
    if (constant.empty())
      return inexpressible(op) << "whose reductions name a predefined operator, and '" << name << "' is not constant"
                               << advice;
    if (!mlir::mpi::symbolizeMPI_ReductionOpEnum(constant))
      return inexpressible(op) << "which has no operator " << constant << advice;
    return success();
  }
  if (name == "sendbuf" && getConstantName(value) == "MPI_IN_PLACE")
    return success();
  if (name == "buf" || name == "sendbuf" || name == "recvbuf") {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      return inexpressible(op) << "whose buffers are memrefs, and '" << name << "' is a " << value.getType() << advice;
    std::string reason;
    if (!isMessageBuffer(type, reason))
      return inexpressible(op) << "with '" << name << "' of type " << type << ": " << reason;
    return success();
  }
  if (auto constant = value.getDefiningOp<ConstantOp>(); constant && !isCommWorld(constant)) {
    // An error class is an error code, so this is correct, if useless.
    if (name != "errorcode" || !mlir::mpi::symbolizeMPI_ErrorClassEnum(constant.getName()))
      return inexpressible(op) << "which has no name for " << constant.getName() << ", its '" << name << "'" << advice;
  }
  if (name == "errorcode") {
    auto producer = value.getDefiningOp<MPIOpInterface>();
    bool isCode = producer && (producer.getOutcome("error") == value || producer.getOutcome("errorclass") == value);
    if (!isCode)
      return inexpressible(op) << "where only operations produce error codes, and '" << name
                               << "' is not the result of one" << advice;
  }
  bool isInteger = isa<IntegerType, IndexType>(value.getType());
  if (isInteger && !value.getType().isInteger(32))
    return inexpressible(op) << "which takes i32, and '" << name << "' is " << value.getType() << ": cast it to i32";
  if (!isInteger && !isa<CommunicatorType, RequestType>(value.getType()))
    return inexpressible(op) << "where '" << name << "' is a value, and here it is " << value.getType() << advice;
  return success();
}

static LogicalResult checkMPIOp(MPIOpInterface op, ErrorChecks &checks) {
  if (isConditionalWait(op))
    return inexpressible(op) << "which has no conditional wait" << advice;
  const MPIDialectOp *entry = lookupMPIDialectOp(op);
  if (!entry)
    return inexpressible(op) << "which has no operation for " << op.getCalledFunction().name << advice;
  for (auto [index, name] : llvm::enumerate(op.getParamNames())) {
    OperandRange operands = op.getParamOperands(index);
    if (operands.empty())
      continue;
    bool isOperator = name == "op" && entry->function == "MPI_Allreduce";
    if (!isOperator && !llvm::is_contained(entry->params, name)) {
      // If the buffer is a pointer, an error about it is clearer than one about its count or datatype.
      for (StringRef buffer : {"buf", "recvbuf"})
        if (Value value = op.getParam(buffer); value && !isa<MemRefType>(value.getType()))
          return checkOperand(op, buffer, value);
      return inexpressible(op) << "whose " << entry->name << " has no '" << name << "'" << advice;
    }
    if (failed(checkOperand(op, name, operands.front())))
      return failure();
  }
  for (auto [index, name] : llvm::enumerate(op.getOutcomeNames())) {
    if (op.getOutcomeResults(index).empty())
      continue;
    if (entry->outcome != name && (name != "error" || entry->name == "mpi.error_class"))
      return inexpressible(op) << "whose " << entry->name << " has no result '" << name << "'" << advice;
    if ((name == "error" || name == "errorclass") &&
        failed(checkErrorUses(op, op.getOutcomeResults(index).front(), checks)))
      return failure();
  }
  return success();
}

/// Whether the type has no counterpart in the mpi dialect.
static bool hasInexpressibleType(Type type) {
  return type
      .walk([](Type part) {
        return isa<DatatypeType, ReductionOpType, MessageType, WindowType, GroupType, InfoType>(part)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The op that uses a constant decides whether it has a form: operators, MPI_IN_PLACE and error classes become
/// attributes of the mpi op.
static LogicalResult checkConstant(ConstantOp op, const ErrorChecks &checks) {
  if (isCommWorld(op))
    return success();
  for (Operation *user : op->getUsers()) {
    if (isa<MPIOpInterface>(user) || checks.contains(user))
      continue; // checked there
    InFlightDiagnostic diagnostic = inexpressible(op) << "which has no name for " << op.getName() << advice;
    diagnostic.attachNote(user->getLoc()) << "it is used here";
    return diagnostic;
  }
  return success();
}

LogicalResult comm::checkExpressible(Operation *module, ErrorChecks &checks) {
  bool ok = true;
  module->walk([&](Operation *op) {
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
      ok &= succeeded(checkMPIOp(mpiOp, checks));
    } else if (isa<ConstantOp>(op)) {
      return; // after the comparisons are known
    } else if (op->getName().getDialectNamespace() == "comm") {
      inexpressible(op) << "which has no counterpart" << advice;
      ok = false;
    } else {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            if (hasInexpressibleType(type)) {
              inexpressible(op) << "which has no type for its block argument of type " << type << advice;
              ok = false;
            }
      for (Type type : op->getResultTypes())
        if (hasInexpressibleType(type)) {
          inexpressible(op) << "which has no type for its result of type " << type << advice;
          ok = false;
        }
      for (NamedAttribute attribute : op->getAttrs())
        if (auto type = dyn_cast<TypeAttr>(attribute.getValue());
            type && op->getNumRegions() && op->getRegion(0).empty() && hasInexpressibleType(type.getValue())) {
          inexpressible(op) << "which has no type for a part of " << type.getValue() << advice;
          ok = false;
        }
    }
  });
  module->walk([&](ConstantOp op) { ok &= succeeded(checkConstant(op, checks)); });
  return success(ok);
}
