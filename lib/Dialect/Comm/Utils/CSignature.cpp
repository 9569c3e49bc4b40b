//===- CSignature.cpp - MPI functions in the llvm dialect -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/IR/RecordedABI.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;
using mpi::HandleClass;

std::optional<HandleClass> comm::getHandleClass(Type type) {
  return llvm::TypeSwitch<Type, std::optional<HandleClass>>(type)
      .Case<CommunicatorType>([](auto) { return HandleClass::Comm; })
      .Case<DatatypeType>([](auto) { return HandleClass::Datatype; })
      .Case<ReductionOpType>([](auto) { return HandleClass::Op; })
      .Case<RequestType>([](auto) { return HandleClass::Request; })
      .Case<MessageType>([](auto) { return HandleClass::Message; })
      .Case<WindowType>([](auto) { return HandleClass::Win; })
      .Case<GroupType>([](auto) { return HandleClass::Group; })
      .Case<InfoType>([](auto) { return HandleClass::Info; })
      .Default([](Type) { return std::nullopt; });
}

Type comm::getHandleType(HandleClass handleClass, const mpi::ABI &abi, MLIRContext *context) {
  if (abi.handlesArePointers(handleClass))
    return LLVM::LLVMPointerType::get(context);
  unsigned bytes = abi.getTypeSize(mpi::getTypeName(handleClass)).value_or(4);
  return IntegerType::get(context, 8 * bytes);
}

Type comm::getObjectType(const mpi::Param &param, const mpi::ABI &abi, MLIRContext *context) {
  StringRef cType = param.cType;
  if (auto handleClass = getHandleClass(param.role); handleClass && cType == mpi::getTypeName(*handleClass))
    return getHandleType(*handleClass, abi, context);
  if (cType == "int")
    return IntegerType::get(context, 32);
  if (cType == "MPI_Aint" || cType == "MPI_Count" || cType == "MPI_Offset" || cType == "MPI_Fint")
    if (auto bytes = abi.getTypeSize(cType))
      return IntegerType::get(context, 8 * *bytes);
  return {};
}

Type comm::getParamType(const mpi::Param &param, const mpi::ABI &abi, MLIRContext *context) {
  if (param.isPointer || param.isArray)
    return LLVM::LLVMPointerType::get(context);
  return getObjectType(param, abi, context);
}

LLVM::LLVMFunctionType comm::getFunctionType(const mpi::Function &function, const mpi::ABI &abi, MLIRContext *context) {
  SmallVector<Type> params;
  for (const mpi::Param &param : function.params())
    params.push_back(getParamType(param, abi, context));
  return LLVM::LLVMFunctionType::get(IntegerType::get(context, 32), params);
}

static Value createInteger(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value comm::createRepresented(OpBuilder &builder, Location loc, ModuleOp module,
                              const mpi::HandleRepresentation &representation, Type type) {
  using Representation = mpi::HandleRepresentation;
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (representation.kind == Representation::Integer)
    return createInteger(builder, loc, type, representation.value);
  if (representation.kind == Representation::Pointer) {
    if (representation.value == 0)
      return LLVM::ZeroOp::create(builder, loc, pointer);
    return LLVM::IntToPtrOp::create(builder, loc, pointer,
                                    createInteger(builder, loc, builder.getI64Type(), representation.value));
  }
  bool isLoaded = representation.kind == Representation::Load;
  if (!SymbolTable::lookupSymbolIn(module, representation.symbol)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    // The implementation defines the object. Only its address is used, so any type will do.
    Type object = isLoaded ? Type(pointer) : LLVM::LLVMArrayType::get(builder.getI8Type(), 1);
    LLVM::GlobalOp::create(builder, builder.getUnknownLoc(), object, /*isConstant=*/false, LLVM::Linkage::External,
                           representation.symbol, Attribute());
  }
  Value address = LLVM::AddressOfOp::create(builder, loc, pointer, representation.symbol);
  return isLoaded ? LLVM::LoadOp::create(builder, loc, pointer, address) : address;
}

std::optional<mpi::HandleRepresentation> comm::getRepresentation(Value value) {
  using Representation = mpi::HandleRepresentation;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return Representation{Representation::Symbol, address.getGlobalName(), 0};
  if (isa<LLVM::ZeroOp>(op) && isa<LLVM::LLVMPointerType>(value.getType()))
    return Representation{Representation::Pointer, "", 0};
  APInt bits;
  if (auto pointer = dyn_cast<LLVM::IntToPtrOp>(op))
    if (matchPattern(pointer.getArg(), m_ConstantInt(&bits)) && bits.getBitWidth() <= 64)
      return Representation{Representation::Pointer, "", bits.getSExtValue()};
  if (matchPattern(value, m_ConstantInt(&bits)) && bits.getBitWidth() <= 64)
    return Representation{Representation::Integer, "", bits.getSExtValue()};
  return std::nullopt;
}

StringRef comm::getStatusIgnoreName(const mpi::Param &param) {
  return param.isArray ? "MPI_STATUSES_IGNORE" : "MPI_STATUS_IGNORE";
}

StringRef comm::getABIName(StringRef option, ModuleOp module) {
  if (!option.empty())
    return option;
  auto recorded = module->getAttrOfType<StringAttr>(kABIAttrName);
  return recorded ? recorded.getValue() : "";
}

std::optional<unsigned> comm::getDatatypeExtent(StringRef name, Value of) {
  if (std::optional<unsigned> extent = mpi::ABI::all().front().getDatatypeExtent(name))
    return extent;
  const mpi::ABI *abi = getRecordedABI(of.getParentRegion()->getParentOp());
  return abi ? abi->getDatatypeExtent(name) : std::nullopt;
}

const mpi::ABI *comm::lookupABI(StringRef name, Operation *op) {
  if (const mpi::ABI *abi = mpi::ABI::lookup(name))
    return abi;
  std::string known =
      llvm::join(llvm::map_range(mpi::ABI::all(), [](const mpi::ABI &abi) { return abi.getName(); }), ", ");
  op->emitError() << "no MPI implementation is called '" << name << "': set the option abi to one of " << known;
  return nullptr;
}

const mpi::ABI *comm::lookupABIOrStandard(StringRef option, ModuleOp module) {
  StringRef name = getABIName(option, module);
  return lookupABI(name.empty() ? "mpi-abi" : name, module);
}
