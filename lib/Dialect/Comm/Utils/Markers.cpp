//===- Markers.cpp - Asking the other files of a program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

/// Of the overlap runtime, declared as what nothing has to keep its order with.
static LLVM::LLVMFuncOp getFunction(OpBuilder &builder, StringRef name, Type result, ArrayRef<Type> parameters) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (auto known = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, name)))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function =
      LLVM::LLVMFuncOp::create(builder, builder.getUnknownLoc(), name,
                               LLVM::LLVMFunctionType::get(result, parameters));
  function.setPassthroughAttr(
      builder.getStrArrayAttr({"comm-no-throw", "comm-returns", "comm-nosync", "comm-no-io", "comm-no-mpi"}));
  auto none = LLVM::ModRefInfo::NoModRef;
  function.setMemoryEffectsAttr(
      LLVM::MemoryEffectsAttr::get(builder.getContext(), {none, none, none, none, none, none}));
  return function;
}

Value comm::askRuntime(OpBuilder &builder, Location loc, StringRef name) {
  LLVM::LLVMFuncOp function = getFunction(builder, name, builder.getI32Type(), {});
  Value answer = LLVM::CallOp::create(builder, loc, function, ValueRange()).getResult();
  Value no = LLVM::ZeroOp::create(builder, loc, answer.getType());
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, answer, no);
}

Value comm::isMarked(OpBuilder &builder, Location loc, StringRef marker) {
  return askRuntime(builder, loc, mpi::getQuestion(marker));
}

Value comm::askSplit(OpBuilder &builder, Location loc, uint64_t site, Value count) {
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = getFunction(builder, mpi::kAskSplit, i64, {i64, i64});
  Value key = LLVM::ConstantOp::create(builder, loc, i64, builder.getIntegerAttr(i64, static_cast<int64_t>(site)));
  return LLVM::CallOp::create(builder, loc, function, ValueRange{key, count}).getResult();
}

void comm::endSplit(OpBuilder &builder, Location loc, Value token) {
  Type none = LLVM::LLVMVoidType::get(builder.getContext());
  LLVM::CallOp::create(builder, loc, getFunction(builder, mpi::kEndSplit, none, token.getType()), ValueRange(token));
}

void comm::tellSplitEffects(ModuleOp module) {
  for (StringRef name : {mpi::kAskSplit, mpi::kEndSplit})
    if (auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, name)))
      function.removeMemoryEffectsAttr();
}
