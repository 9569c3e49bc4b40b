//===- CSignature.h - MPI functions as the llvm dialect sees them *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C binding of MPI functions in the llvm dialect, for one ABI, and the names that both directions of the
// conversion agree on.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_CSIGNATURE_H
#define COMM_DIALECT_COMM_UTILS_CSIGNATURE_H

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace comm {

/// The class of the handles of that role; none for other roles.
std::optional<mpi::HandleClass> getHandleClass(mpi::Role role);

/// The class of the handles that a comm type stands for; none for other types and for `!comm.status`.
std::optional<mpi::HandleClass> getHandleClass(mlir::Type type);

/// The type of a handle: `!llvm.ptr` or an integer.
mlir::Type getHandleType(mpi::HandleClass handleClass, const mpi::ABI &abi, mlir::MLIRContext *context);

/// The type of one object of the parameter's C type, e.g. i32 for `int *flag`; null for a type that only C knows.
mlir::Type getObjectType(const mpi::Param &param, const mpi::ABI &abi, mlir::MLIRContext *context);

/// The type of the parameter itself: a pointer for pointers and arrays.
mlir::Type getParamType(const mpi::Param &param, const mpi::ABI &abi, mlir::MLIRContext *context);

/// The type of a function that returns an error code.
mlir::LLVM::LLVMFunctionType getFunctionType(const mpi::Function &function, const mpi::ABI &abi,
                                             mlir::MLIRContext *context);

/// A predefined handle, or an address or number that the standard names, as the ABI represents it. Its type matters for
/// numbers alone.
mlir::Value createSpelled(mlir::OpBuilder &builder, mlir::Location loc, mlir::ModuleOp module,
                          const mpi::HandleSpelling &spelling, mlir::Type type);

/// The constant that the value is in LLVM IR; none for anything else.
std::optional<mpi::HandleSpelling> getSpelling(mlir::Value value);

/// The constant that means "no status" for that parameter.
llvm::StringRef getStatusIgnoreName(const mpi::Param &param);

/// The name of the ABI: what an option says, else what the module does; "" if neither does.
llvm::StringRef getABIName(llvm::StringRef option, mlir::ModuleOp module);

/// The ABI of that name, or after an error at `op` null.
const mpi::ABI *lookupABI(llvm::StringRef name, mlir::Operation *op);

/// Bytes from one element of that predefined datatype to the next, for an operation of the function that `of` is in.
/// Sizes of C's types are the platform's, whatever the implementation of MPI; those of Fortran's are known where the
/// module records its implementation.
std::optional<unsigned> getDatatypeExtent(llvm::StringRef name, mlir::Value of);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_CSIGNATURE_H
