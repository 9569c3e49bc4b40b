//===- Callee.h - Called functions ------------------------------*- C++ -*-===//
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

/// Returns the name of the function that the operation calls; empty for indirect calls, other operations, and null.
llvm::StringRef getCalleeName(mlir::Operation *op);

/// Whether it calls operator new or delete, for an object or an array.
bool callsNewOrDelete(mlir::Operation *op);

/// Returns the function of this name, declaring it at the beginning of the module if necessary. A null `result` means
/// void. `describe` is called with a newly created declaration.
mlir::LLVM::LLVMFuncOp getOrDeclareFunction(
    mlir::OpBuilder &builder, mlir::ModuleOp module, llvm::StringRef name, mlir::Type result, mlir::TypeRange arguments,
    llvm::function_ref<void(mlir::LLVM::LLVMFuncOp)> describe = [](mlir::LLVM::LLVMFuncOp) {});

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_CALLEE_H
