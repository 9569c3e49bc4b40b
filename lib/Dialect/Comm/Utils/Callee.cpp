//===- Callee.cpp - Called functions --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Callee.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace comm;

StringRef comm::getCalleeName(Operation *op) {
  auto call = dyn_cast_or_null<CallOpInterface>(op);
  auto symbol = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee()) : SymbolRefAttr();
  return symbol ? symbol.getLeafReference().getValue() : StringRef();
}

bool comm::callsNewOrDelete(Operation *op) {
  // (Other operators begin with _Zn and _Zd, too.)
  constexpr StringRef prefixes[] = {"_Znwm", "_Znam", "_ZdlPv", "_ZdaPv"};
  StringRef callee = getCalleeName(op);
  return llvm::any_of(prefixes, [&](StringRef prefix) { return callee.starts_with(prefix); });
}

LLVM::LLVMFuncOp comm::getOrDeclareFunction(OpBuilder &builder, ModuleOp module, StringRef name, Type result,
                                            TypeRange arguments, llvm::function_ref<void(LLVM::LLVMFuncOp)> describe) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  Type type = result ? result : LLVM::LLVMVoidType::get(builder.getContext());
  auto function = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name,
                                           LLVM::LLVMFunctionType::get(type, SmallVector<Type>(arguments)));
  describe(function);
  return function;
}
