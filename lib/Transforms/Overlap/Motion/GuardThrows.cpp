//===- GuardThrows.cpp - Complete communications when an exception passes --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/GuardThrows.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace comm;

static constexpr StringRef personalityName = "__gxx_personality_v0";

bool comm::canGuardThrows(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function && (!function.getPersonality() || *function.getPersonality() == personalityName);
}

/// The function's exceptions are handled by C++'s runtime library, which a program that calls operator new links.
static void addPersonality(LLVM::LLVMFuncOp function) {
  if (function.getPersonality())
    return;
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(personalityName)) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {}, /*isVarArg=*/true);
    LLVM::LLVMFuncOp::create(builder, module.getLoc(), personalityName, type);
  }
  function.setPersonalityAttr(FlatSymbolRefAttr::get(function.getContext(), personalityName));
}

static Block *makeLandingPad(LLVM::LLVMFuncOp function, Location loc, ArrayRef<Value> requests) {
  OpBuilder builder(function.getContext());
  Block *pad = builder.createBlock(&function.getBody(), function.getBody().end());
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {LLVM::LLVMPointerType::get(builder.getContext()), builder.getI32Type()});
  auto landing = LLVM::LandingpadOp::create(builder, loc, type, /*cleanup=*/true, ValueRange{});
  for (Value request : requests) {
    MPIOpInterface wait =
        createMPIOp(builder, request.getLoc(), "MPI_Wait", Mode::blocking, {{"request", request}}, {});
    wait->setDiscardableAttr(kCleanupAttrName, builder.getUnitAttr());
  }
  LLVM::ResumeOp::create(builder, loc, landing);
  return pad;
}

void comm::guardThrows(const ThrowingCalls &calls) {
  for (const auto &[op, requests] : calls) {
    auto call = cast<LLVM::CallOp>(op);
    auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
    addPersonality(function);
    Block *block = call->getBlock();
    Block *next = block->splitBlock(call->getNextNode());
    Block *pad = makeLandingPad(function, call.getLoc(), requests);
    OpBuilder builder(call);
    auto invoke = LLVM::InvokeOp::create(builder, call.getLoc(), call.getResultTypes(), call.getCalleeAttr(),
                                         call.getArgOperands(), next, ValueRange{}, pad, ValueRange{});
    invoke.setCConv(call.getCConv());
    if (ArrayAttr attributes = call.getArgAttrsAttr())
      invoke.setArgAttrsAttr(attributes);
    if (ArrayAttr attributes = call.getResAttrsAttr())
      invoke.setResAttrsAttr(attributes);
    call.replaceAllUsesWith(invoke.getResults());
    call.erase();
  }
}
