//===- RuntimeCalls.h - Calls of Comm's runtime -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_UTILS_RUNTIMECALLS_H
#define COMM_TRANSFORMS_UTILS_RUNTIMECALLS_H

#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// Builds calls of the runtime's C functions and the static descriptions of call sites that they take.
class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module);

  /// Calls `name` with those arguments and declares it if needed. A null `result` means void.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::Type result,
                   mlir::ValueRange arguments);
  /// Returns the address of a constant of that name that holds the string.
  mlir::Value getString(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef text);
  /// Returns the address of a new constant array of these numbers.
  mlir::Value makeTable(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                        llvm::ArrayRef<int64_t> numbers);
  /// Returns the address of a new internal global of that struct type, whose fields are given by `fill`.
  mlir::Value makeGlobal(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::Type type,
                         bool isConstant, llvm::function_ref<mlir::Value(mlir::OpBuilder &)> fill);
  /// Returns the address of a new description of the operation's call site. All sites of the runtime begin alike:
  /// uint32_t abi_version, line, column, one that is 0, const char *mpi_call, *function, *file. `texts` are strings
  /// that follow, and `more` has the types of the remaining fields, all zero.
  mlir::Value makeSite(mlir::OpBuilder &builder, MPIOpInterface op, llvm::StringRef name, unsigned abiVersion,
                       bool isConstant, llvm::ArrayRef<std::string> texts = {}, llvm::ArrayRef<mlir::Type> more = {});
  /// Puts the variable with that address into a section of the object file, next to others of its kind.
  void setSection(mlir::Value address, llvm::StringRef section, uint64_t alignment);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings;
  unsigned next = 0;
};

} // namespace comm

#endif // COMM_TRANSFORMS_UTILS_RUNTIMECALLS_H
