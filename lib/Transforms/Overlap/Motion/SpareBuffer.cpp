//===- SpareBuffer.cpp - A second buffer for MPI_Sendrecv_replace ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/SpareBuffer.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Attributes.h"

using namespace mlir;
using namespace comm;

static constexpr StringLiteral kMalloc = "malloc", kFree = "free";

static bool isOneOfC(ModuleOp module, StringRef name, Type result, Type argument) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  return !module.lookupSymbol(name) ||
         (function && function.getFunctionType() == LLVM::LLVMFunctionType::get(result, {argument}));
}

StringRef comm::whyNoSpare(MPIOpInterface op, const mpi::ABI *abi) {
  Value buffer = op.getParam("buf"), count = op.getParam("count");
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  if (!abi || !function || !buffer || !isa<LLVM::LLVMPointerType>(buffer.getType()) || !count ||
      !isa<IntegerType>(count.getType()) || !abi->isPredefinedContiguous(getConstantName(op.getParam("datatype"))))
    return "it sends from and receives into one buffer of unknown size (a second one is created for predefined "
           "datatypes)";
  MLIRContext *context = op->getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto module = op->getParentOfType<ModuleOp>();
  if (buffer.getType() != pointer || function.getName() == kMalloc || function.getName() == kFree ||
      !isOneOfC(module, kMalloc, pointer, IntegerType::get(context, 64)) ||
      !isOneOfC(module, kFree, LLVM::LLVMVoidType::get(context), pointer))
    return "it sends from and receives into one buffer, and the program's malloc or free is not that of C, so no "
           "second one can be created";
  return "";
}

/// Returns the size of the buffer, 0 if the count is negative: MPI reports that error.
static Value getBytes(OpBuilder &builder, MPIOpInterface op, const mpi::ABI &abi) {
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  Value count = op.getParam("count");
  if (count.getType() != i64)
    count = LLVM::SExtOp::create(builder, loc, i64, count);
  Value zero = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(0));
  std::optional<unsigned> size = abi.getDatatypeSize(getConstantName(op.getParam("datatype")));
  Value bytes = LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(*size));
  return LLVM::MulOp::create(builder, loc, LLVM::SMaxOp::create(builder, loc, count, zero), bytes);
}

/// Adds the attributes that clang gives malloc and free. Without them, alias analysis assumes that the result may be
/// any pointer.
static void describe(LLVM::LLVMFuncOp function, bool isMalloc) {
  if (!function.isExternal() || function.getPassthroughAttr())
    return;
  OpBuilder builder(function.getContext());
  auto name = [&](StringRef text) { return builder.getStringAttr(text); };
  auto pair = [&](StringRef key, StringRef value) -> Attribute {
    return builder.getArrayAttr({name(key), name(value)});
  };
  llvm::AllocFnKind kind =
      isMalloc ? llvm::AllocFnKind::Alloc | llvm::AllocFnKind::Uninitialized : llvm::AllocFnKind::Free;
  SmallVector<Attribute> attributes{name("nounwind"), name("willreturn"), pair("alloc-family", kMalloc),
                                    pair("allockind", std::to_string(static_cast<uint64_t>(kind)))};
  if (isMalloc)
    function.setResultAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  else
    function.setArgAttr(0, LLVM::LLVMDialect::getAllocatedPointerAttrName(), builder.getUnitAttr());
  function.setPassthroughAttr(builder.getArrayAttr(attributes));
  using LLVM::ModRefInfo;
  ModRefInfo none = ModRefInfo::NoModRef, both = ModRefInfo::ModRef;
  function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      function.getContext(), {/*other=*/none, /*argMem=*/isMalloc ? none : both, /*inaccessibleMem=*/both,
                              /*errnoMem=*/none, /*targetMem0=*/none, /*targetMem1=*/none}));
}

static Value copy(OpBuilder &builder, Location loc, Value to, Value from, Value bytes) {
  LLVM::MemcpyOp::create(builder, loc, to, from, bytes, /*isVolatile=*/false);
  return to;
}

Value comm::makeSpare(OpBuilder &builder, MPIOpInterface op, const mpi::ABI &abi) {
  auto module = op->getParentOfType<ModuleOp>();
  FailureOr<LLVM::LLVMFuncOp> malloc = LLVM::lookupOrCreateMallocFn(builder, module, builder.getI64Type());
  if (failed(malloc))
    return {};
  describe(*malloc, /*isMalloc=*/true);
  Value bytes = getBytes(builder, op, abi);
  Value spare = LLVM::CallOp::create(builder, op.getLoc(), *malloc, bytes).getResult();
  return copy(builder, op.getLoc(), spare, op.getParam("buf"), bytes);
}

static LLVM::CallOp getAllocation(Value spare) { return spare.getDefiningOp<LLVM::CallOp>(); }

void comm::returnSpare(OpBuilder &builder, MPIOpInterface op, Value spare) {
  FailureOr<LLVM::LLVMFuncOp> free = LLVM::lookupOrCreateFreeFn(builder, op->getParentOfType<ModuleOp>());
  assert(succeeded(free) && "whyNoSpare asks for it");
  describe(*free, /*isMalloc=*/false);
  copy(builder, op.getLoc(), op.getParam("buf"), spare, getAllocation(spare).getOperand(0));
  LLVM::CallOp::create(builder, op.getLoc(), *free, spare);
}

std::optional<SpareUses> comm::findSpareUses(MPIOpInterface receive) {
  Value spare = receive.getParam("buf");
  LLVM::CallOp allocation = getAllocation(spare);
  if (getDisplayName(receive) != SendrecvReplaceOp::getMPIFunctionName() || !allocation)
    return std::nullopt;
  SpareUses uses{allocation, nullptr, nullptr, nullptr};
  unsigned others = 0;
  for (Operation *user : spare.getUsers()) {
    auto memcpy = dyn_cast<LLVM::MemcpyOp>(user);
    if (memcpy && memcpy.getLen() == allocation.getOperand(0))
      (memcpy.getDst() == spare ? uses.fill : uses.copyBack) = user;
    else if (auto call = dyn_cast<LLVM::CallOp>(user); call && call.getCallee() == kFree)
      uses.free = user;
    else
      others += user != receive.getOperation();
  }
  bool isWhole = uses.fill && uses.copyBack && uses.free && others == 0;
  return isWhole ? std::optional(uses) : std::nullopt;
}
