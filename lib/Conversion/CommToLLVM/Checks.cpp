//===- Checks.cpp - Limits of an MPI implementation -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/CommToLLVM.h"

#include "CallBuilder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace comm;

namespace {
class Checker {
public:
  Checker(Operation *root, const mpi::ABI &abi) : abi(abi), symbols(root) {}

  LogicalResult check(ConstantOp op);
  LogicalResult check(CastOp op);
  LogicalResult check(MPIOpInterface op);

private:
  LogicalResult checkMemRef(MPIOpInterface op, const mpi::Param &param, Value value);
  LogicalResult checkImplied(MPIOpInterface op, const mpi::Param &param, Value buffer);
  LogicalResult checkSymbol(Operation *op, StringRef name, const mpi::Function *function);

  const mpi::ABI &abi;
  SymbolTable symbols;
};
} // namespace

LogicalResult Checker::checkSymbol(Operation *op, StringRef name, const mpi::Function *function) {
  Operation *symbol = symbols.lookup(name);
  if (!symbol)
    return success();
  if (!function) {
    if (isa<LLVM::GlobalOp, LLVM::AliasOp>(symbol))
      return success();
    return op->emitOpError() << "needs the global @" << name << " of " << abi.getLibraryName()
                             << ", but the module uses that name for something else: rename it";
  }
  LLVM::LLVMFunctionType type = getFunctionType(*function, abi, op->getContext());
  auto declared = dyn_cast<LLVM::LLVMFuncOp>(symbol);
  if (declared && declared.getFunctionType() == type)
    return success();
  InFlightDiagnostic error =
      op->emitOpError() << "calls " << name << ", which the module declares differently: expected an llvm.func of type "
                        << type << ", as " << abi.getLibraryName() << " declares it";
  error.attachNote(symbol->getLoc()) << "declared here";
  return error;
}

LogicalResult Checker::check(ConstantOp op) {
  auto representation = getRepresentationOf(op.getName(), op.getType(), abi);
  if (!representation)
    return op.emitOpError() << "names " << op.getName() << " as " << op.getType() << ", which " << abi.getLibraryName()
                            << " does not have: use a constant that it has";
  if (representation->kind == mpi::HandleRepresentation::Symbol ||
      representation->kind == mpi::HandleRepresentation::Load)
    return checkSymbol(op, representation->symbol, nullptr);
  return success();
}

LogicalResult Checker::check(CastOp op) {
  Type from = op.getInput().getType(), to = op.getType();
  bool isFromHandle = getHandleClass(from) || isa<StatusType>(from);
  Type handle = isFromHandle ? from : to, other = isFromHandle ? to : from;
  auto handleClass = getHandleClass(handle);
  Type expected = handleClass ? getHandleType(*handleClass, abi, op.getContext())
                              : Type(LLVM::LLVMPointerType::get(op.getContext()));
  if (from == to || other == expected)
    return success();
  return op.emitOpError() << "takes " << handle << " for " << other << ", but in " << abi.getLibraryName() << " it is "
                          << expected << ": set the option abi to the implementation that the module was made for";
}

LogicalResult Checker::checkMemRef(MPIOpInterface op, const mpi::Param &param, Value value) {
  auto memref = dyn_cast<MemRefType>(value.getType());
  if (!memref)
    return success();
  if (!memref.areTrailingDimsContiguous(memref.getRank())) {
    SmallVector<int64_t> strides;
    int64_t offset;
    bool isKnown = failed(memref.getStridesAndOffset(strides, offset)) || llvm::none_of(strides, ShapedType::isDynamic);
    return op.emitOpError() << "has the memref '" << param.name << "' of type " << memref
                            << (isKnown ? ", which is not contiguous: "
                                        : ", which is not known to be contiguous: if it is, make it one-dimensional "
                                          "with memref.reinterpret_cast; otherwise ")
                            << "copy it to a contiguous buffer, or pass an !llvm.ptr with a derived datatype";
  }
  if (!memref.getMemorySpace())
    return success();
  return op.emitOpError() << "has the memref '" << param.name << "' of type " << memref
                          << ", which is not in the default memory space: copy it to a buffer that MPI can access";
}

LogicalResult Checker::checkImplied(MPIOpInterface op, const mpi::Param &param, Value buffer) {
  Type element = cast<BaseMemRefType>(buffer.getType()).getElementType();
  StringRef datatype = getMPIDatatypeName(element);
  if (param.role == mpi::Role::Datatype && (datatype.empty() || !abi.getHandle(datatype)))
    return op.emitOpError() << "has no datatype of " << abi.getLibraryName() << " for elements of type " << element
                            << ": convert them, or pass an !llvm.ptr with a datatype";
  if (param.role == mpi::Role::Count && op.isNeighborhood())
    return op.emitOpError() << "has a memref for '" << param.name
                            << "' elements per neighbor, and the number of neighbors is not known: pass an !llvm.ptr, "
                               "count and datatype";
  return success();
}

LogicalResult Checker::check(MPIOpInterface op) {
  for (const mpi::Param &param : op.getFunction().params()) {
    OperandRange values = ::comm::detail::getParamOperands(op, param.name);
    for (Value value : values)
      if (failed(checkMemRef(op, param, value)))
        return failure();
    if (values.empty())
      if (Value buffer = getImplyingBuffer(op, param))
        if (failed(checkImplied(op, param, buffer)))
          return failure();
  }
  if (op->hasAttr(kStartKindAttrName) && op.isAsync() && op.getMatching().kind != Matching::Kind::Collective)
    return op.emitOpError("has a ") << kStartKindAttrName << ", which belongs on starts of collectives: drop it";
  const mpi::Function *function = getFunctionToCall(op);
  // Untested: every operation with a count has a function with a large-count form.
  if (!function)
    return op.emitOpError() << "has a count of 64 bits, and MPI has no large-count form of "
                            << op.getCalledFunction().name << ": pass counts as i32";
  if (!abi.hasFunction(function->name))
    return op.emitOpError() << "calls " << function->name << ", which " << abi.getLibraryName()
                            << " does not have: use a newer implementation, or another operation";
  for (const mpi::Param &param : function->params())
    if (!getParamType(param, abi, op->getContext()))
      return op.emitOpError() << "passes '" << param.name << "' of type " << param.cType << ", which "
                              << abi.getLibraryName() << " does not have";
  return checkSymbol(op, function->name, function);
}

LogicalResult comm::verifyConvertibleToLLVM(Operation *root, const mpi::ABI &abi) {
  Checker checker(root, abi);
  bool failed = false;
  root->walk([&](Operation *op) {
    LogicalResult result = success();
    if (auto constant = dyn_cast<ConstantOp>(op))
      result = checker.check(constant);
    else if (auto cast = dyn_cast<CastOp>(op))
      result = checker.check(cast);
    else if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
      result = checker.check(mpiOp);
    else if (op->getName().getDialectNamespace() == "comm")
      result = op->emitOpError("has no counterpart in MPI: lower it first");
    failed |= mlir::failed(result);
  });
  return failure(failed);
}
