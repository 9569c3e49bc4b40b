//===- Callee.h - Functions that are called ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_CALLEE_H
#define COMM_DIALECT_COMM_UTILS_CALLEE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// The name of the function that the operation calls; empty if it is no call (or null), or an indirect call.
llvm::StringRef getCalleeName(mlir::Operation *op);

/// Whether it calls an operator new or delete, of an object or an array.
bool callsNewOrDelete(mlir::Operation *op);

/// The function of that name, which is declared at the beginning of the module if it is not there. A null `result` is
/// void. `describe` gets a declaration that was made.
mlir::LLVM::LLVMFuncOp getOrDeclareFunction(
    mlir::OpBuilder &builder, mlir::ModuleOp module, llvm::StringRef name, mlir::Type result, mlir::TypeRange arguments,
    llvm::function_ref<void(mlir::LLVM::LLVMFuncOp)> describe = [](mlir::LLVM::LLVMFuncOp) {});

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_CALLEE_H
