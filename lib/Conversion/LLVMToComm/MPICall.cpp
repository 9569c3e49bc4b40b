//===- MPICall.cpp - A call of an MPI function in the llvm dialect --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MPICall.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

OperandRange MPICall::getArguments() const {
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return call.getCalleeOperands();
  return cast<LLVM::InvokeOp>(op).getCalleeOperands();
}

/// Returns the function without `_c`, if the op can distinguish the two by the type of a count that is passed by value.
static const mpi::Function *getUsualCountForm(const mpi::Function &function) {
  StringRef name = function.name;
  if (!name.consume_back("_c"))
    return &function;
  const mpi::Function *usual = mpi::lookupFunction(name);
  if (!usual || usual->large != StringRef(function.name))
    return nullptr;
  bool tells = llvm::any_of(function.params(), [](const mpi::Param &param) {
    return param.role == mpi::Role::Count && !param.isPointer && !param.isArray;
  });
  return tells ? usual : nullptr;
}

/// Whether the call consists only of callee, arguments and attributes.
static bool isPlainCall(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return call.getOpBundleOperands().empty() && call.getTailCallKind() != LLVM::TailCallKind::MustTail &&
           call.getCConv() == LLVM::CConv::C;
  auto invoke = cast<LLVM::InvokeOp>(op);
  return invoke.getOpBundleOperands().empty() && invoke.getCConv() == LLVM::CConv::C;
}

MPICall comm::matchMPICall(Operation *op, SymbolTable &symbols) {
  FlatSymbolRefAttr callee;
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    callee = call.getCalleeAttr();
  else if (auto invoke = dyn_cast<LLVM::InvokeOp>(op))
    callee = invoke.getCalleeAttr();
  MPICall call;
  call.op = op;
  if (!callee)
    return call;
  call.called = mpi::lookupFunction(callee.getValue());
  if (!call.called || !isPlainCall(op))
    return call;
  // A module that defines an MPI function wraps it, and the standard does not cover what else the wrapper does.
  auto definition = symbols.lookup<LLVM::LLVMFuncOp>(callee.getValue());
  if (!definition || !definition.isExternal())
    return call;
  const mpi::Function *usual = getUsualCountForm(*call.called);
  if (!usual)
    return call;
  const mpi::Function *blocking = usual->blocking[0] ? mpi::lookupFunction(usual->blocking) : usual;
  if (!getOpNameFor(blocking->name, op->getContext()).empty())
    call.blocking = blocking;
  return call;
}

LogicalResult comm::verifySignature(const MPICall &call) {
  const mpi::Function &function = *call.called;
  auto error = [&]() { return call.op->emitError() << "'" << function.name << "' "; };
  OperandRange arguments = call.getArguments();
  if (arguments.size() != function.numParams)
    return error() << "is called with " << arguments.size() << " arguments, MPI's has " << function.numParams
                   << ": include <mpi.h>, and do not declare MPI functions yourself";
  MLIRContext *context = call.op->getContext();
  for (auto [param, argument] : llvm::zip(function.params(), arguments)) {
    Type type = argument.getType();
    bool isPointer = isa<LLVM::LLVMPointerType>(type), isInteger = isa<IntegerType>(type);
    bool isHandle = !param.isPointer && !param.isArray && getHandleClass(param.role);
    bool wantsPointer = param.isPointer || param.isArray || StringRef(param.cType) == "void";
    bool fits = isHandle ? isPointer || type.isInteger(32) : wantsPointer ? isPointer : isInteger;
    if (StringRef(param.cType) == "int" && !wantsPointer)
      fits = type.isInteger(32);
    if (!fits)
      return error() << "is called with '" << param.name << "' of type " << type << ", MPI's is of type " << param.cType
                     << (wantsPointer ? " *" : "") << ": include <mpi.h>, and do not declare MPI "
                     << "functions yourself";
  }
  if (call.op->getNumResults() != 1 || call.op->getResult(0).getType() != IntegerType::get(context, 32))
    return error() << "does not return int as MPI's does: include <mpi.h>, and do not declare MPI functions yourself";
  return success();
}

DictionaryAttr comm::getCallAttributes(const MPICall &call) {
  NamedAttrList kept;
  // Branch weights of an invoke disappear with the branch.
  constexpr StringLiteral dropped[] = {"callee", "operandSegmentSizes", "op_bundle_sizes", "branch_weights"};
  for (NamedAttribute attribute : call.op->getAttrDictionary()) {
    Attribute value = attribute.getValue();
    auto fastmath = dyn_cast<LLVM::FastmathFlagsAttr>(value);
    auto tail = dyn_cast<LLVM::TailCallKindAttr>(value);
    bool isDefault = (fastmath && fastmath.getValue() == LLVM::FastmathFlags::none) ||
                     (tail && tail.getTailCallKind() == LLVM::TailCallKind::None) || isa<LLVM::CConvAttr>(value);
    if (!isDefault && !llvm::is_contained(dropped, attribute.getName()))
      kept.append(attribute);
  }
  if (kept.empty())
    return {};
  MLIRContext *context = call.op->getContext();
  kept.set("callee", StringAttr::get(context, call.called->name));
  return kept.getDictionary(context);
}

const mpi::ABI *comm::detectABI(ArrayRef<MPICall> calls, SymbolTable &symbols) {
  std::optional<bool> commIsInteger;
  auto forEachHandle = [&](auto visit) {
    for (const MPICall &call : calls)
      for (auto [param, argument] : llvm::zip(call.called->params(), call.getArguments()))
        if (auto handleClass = getHandleClass(param.role); handleClass && !param.isPointer && !param.isArray)
          visit(*handleClass, argument);
  };
  forEachHandle([&](mpi::HandleClass, Value handle) {
    if (!commIsInteger)
      commIsInteger = isa<IntegerType>(handle.getType());
  });
  auto hasSymbol = [&](StringRef name) { return symbols.lookup(name) != nullptr; };
  auto passesHandle = [&](int64_t value, mpi::HandleClass wanted) {
    bool found = false;
    forEachHandle([&](mpi::HandleClass handleClass, Value handle) {
      auto representation = getRepresentation(handle);
      found |= handleClass == wanted && representation && representation->kind == mpi::HandleRepresentation::Pointer &&
               representation->value == value;
    });
    return found;
  };
  return mpi::ABI::detect(hasSymbol, commIsInteger.value_or(false), passesHandle);
}
