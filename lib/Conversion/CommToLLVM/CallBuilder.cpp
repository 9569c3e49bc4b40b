//===- CallBuilder.cpp - Calls, constants and slots of one ABI ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallBuilder.h"

#include "Comm/Dialect/Comm/Utils/FrameSlots.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "Comm/Conversion/CommToLLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;
using mpi::HandleRepresentation;

const mpi::Function *comm::getFunctionToCall(MPIOpInterface op) {
  const mpi::Function &function = op.getCalledFunction();
  bool isLarge = llvm::any_of(function.params(), [&](const mpi::Param &param) {
    Value count =
        param.role == mpi::Role::Count && !param.isPointer && !param.isArray ? op.getParam(param.name) : Value();
    if (count)
      return count.getType().isInteger(64);
    Value buffer = param.role == mpi::Role::Count ? getImplyingBuffer(op, param) : Value();
    auto memref = buffer ? dyn_cast<MemRefType>(buffer.getType()) : MemRefType();
    return memref && memref.hasStaticShape() && memref.getNumElements() > INT32_MAX;
  });
  return isLarge ? mpi::lookupFunction(function.large) : &function;
}

Value comm::getImplyingBuffer(MPIOpInterface op, const mpi::Param &param) {
  const mpi::Function &function = op.getFunction();
  int wanted = function.findParam(param.name);
  if (wanted < 0 || param.isPointer || param.isArray)
    return {};
  Value perRank;
  for (unsigned i = 0; i < function.numParams; ++i) {
    if (function.params()[i].role != mpi::Role::Buffer ||
        (function.countOf(i) != wanted && function.datatypeOf(i) != wanted))
      continue;
    Value buffer = op.getParam(function.params()[i].name);
    if (!buffer || !isa<BaseMemRefType>(buffer.getType()))
      continue;
    if (!llvm::is_contained(op.getPerRankBuffers(), StringRef(function.params()[i].name)))
      return buffer;
    perRank = buffer;
  }
  return perRank;
}

StringRef comm::getMPIDatatypeName(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32()   ? "MPI_C_FLOAT_COMPLEX"
           : complex.getElementType().isF64() ? "MPI_C_DOUBLE_COMPLEX"
                                              : "";
  if (type.isF32())
    return "MPI_FLOAT";
  if (type.isF64())
    return "MPI_DOUBLE";
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return "";
  switch (integer.getWidth()) {
  case 1:
    return "MPI_C_BOOL";
  case 8:
    return integer.isUnsigned() ? "MPI_UINT8_T" : "MPI_INT8_T";
  case 16:
    return integer.isUnsigned() ? "MPI_UINT16_T" : "MPI_INT16_T";
  case 32:
    return integer.isUnsigned() ? "MPI_UINT32_T" : "MPI_INT32_T";
  case 64:
    return integer.isUnsigned() ? "MPI_UINT64_T" : "MPI_INT64_T";
  default:
    return "";
  }
}

std::optional<HandleRepresentation> comm::getRepresentationOf(StringRef name, Type type, const mpi::ABI &abi) {
  if (auto handleClass = getHandleClass(type))
    return abi.getHandleClass(name) == handleClass ? abi.getHandle(name) : std::nullopt;
  if (isa<LLVM::LLVMPointerType>(type))
    return abi.getAddress(name);
  auto value = abi.getConstant(name);
  if (!type.isIntOrIndex() || !value)
    return std::nullopt;
  return HandleRepresentation{HandleRepresentation::Integer, "", *value};
}

Type comm::getStatusType(const mpi::ABI &abi, MLIRContext *context) {
  unsigned width = abi.getStatusAlignment();
  return LLVM::LLVMArrayType::get(IntegerType::get(context, 8 * width), abi.getStatusSize() / width);
}

Value CallBuilder::createInteger(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value CallBuilder::createConstant(const HandleRepresentation &representation, Type type) {
  return createRepresented(builder, loc, anchor->getParentOfType<ModuleOp>(), representation, type);
}

/// Whether the pointer is based on a stack slot of this function, which rules out a tail call.
static bool isFrameAddress(Value value) { return getBasePointer(value).getDefiningOp<LLVM::AllocaOp>() != nullptr; }

LLVM::CallOp CallBuilder::createCall(const mpi::Function &function, ValueRange arguments, DictionaryAttr attributes,
                                     StringRef symbol) {
  if (symbol.empty())
    symbol = function.name;
  LLVM::LLVMFunctionType type = getFunctionType(function, abi, builder.getContext());
  auto module = anchor->getParentOfType<ModuleOp>();
  if (!SymbolTable::lookupSymbolIn(module, symbol)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(builder, builder.getUnknownLoc(), symbol, type);
  }
  auto call = LLVM::CallOp::create(builder, loc, type, builder.getStringAttr(symbol), arguments);
  auto callee = attributes ? attributes.getAs<StringAttr>("callee") : StringAttr();
  if (!callee || callee.getValue() != symbol)
    return call;
  bool passesFrame = llvm::any_of(arguments, isFrameAddress);
  for (NamedAttribute attribute : attributes) {
    bool isWrong = passesFrame && isa<LLVM::TailCallKindAttr>(attribute.getValue()) &&
                   cast<LLVM::TailCallKindAttr>(attribute.getValue()).getTailCallKind() == LLVM::TailCallKind::Tail;
    if (attribute.getName() != "callee" && !isWrong)
      call->setAttr(attribute.getName(), attribute.getValue());
  }
  return call;
}

Value CallBuilder::createSlot(Type type, unsigned count) { return createFrameSlot(anchor, loc, type, count); }

Value CallBuilder::fitInteger(Value value, Type type, bool isCount) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (from < to)
    return LLVM::SExtOp::create(builder, loc, type, value);
  Value narrow = LLVM::TruncOp::create(builder, loc, type, value);
  if (!isCount)
    return narrow;
  Value most = createInteger(value.getType(), INT32_MAX);
  Value fits = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sle, value, most);
  return LLVM::SelectOp::create(builder, loc, fits, narrow, createInteger(type, -1));
}
