//===- CSignature.h - MPI functions in the llvm dialect ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C binding of MPI functions in the llvm dialect, for one ABI, and names shared by both directions of the
// conversion.
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

/// Returns the class of handles that a comm type stands for; none for other types and for `!comm.status`.
std::optional<mpi::HandleClass> getHandleClass(mlir::Type type);

/// Returns the type of a handle: `!llvm.ptr` or an integer.
mlir::Type getHandleType(mpi::HandleClass handleClass, const mpi::ABI &abi, mlir::MLIRContext *context);

/// Returns the type of an object of the parameter's C type, such as i32 for `int *flag`; null if MLIR has no such type.
mlir::Type getObjectType(const mpi::Param &param, const mpi::ABI &abi, mlir::MLIRContext *context);

/// Returns the type of the parameter itself: a pointer for pointers and arrays.
mlir::Type getParamType(const mpi::Param &param, const mpi::ABI &abi, mlir::MLIRContext *context);

/// Returns the type of a function that returns an error code.
mlir::LLVM::LLVMFunctionType getFunctionType(const mpi::Function &function, const mpi::ABI &abi,
                                             mlir::MLIRContext *context);

/// Creates a predefined handle, or an address or number that the standard names, in the ABI's representation. `type`
/// only matters for numbers.
mlir::Value createRepresented(mlir::OpBuilder &builder, mlir::Location loc, mlir::ModuleOp module,
                              const mpi::HandleRepresentation &representation, mlir::Type type);

/// Returns the constant that the value is in LLVM IR; none for anything else.
std::optional<mpi::HandleRepresentation> getRepresentation(mlir::Value value);

/// Returns the constant that means "no status" for this parameter.
llvm::StringRef getStatusIgnoreName(const mpi::Param &param);

/// Returns the name of the ABI from the option, or else from the module; "" if neither has one.
llvm::StringRef getABIName(llvm::StringRef option, mlir::ModuleOp module);

/// Returns the ABI of this name, or null after reporting an error at `op`.
const mpi::ABI *lookupABI(llvm::StringRef name, mlir::Operation *op);

/// Returns the ABI of the option, or else of the module, or else the standard one; null after reporting an error.
const mpi::ABI *lookupABIOrStandard(llvm::StringRef option, mlir::ModuleOp module);

/// Returns the distance in bytes between elements of this predefined datatype, for an operation in the function that
/// contains `of`. Sizes of C's types are the platform's, independent of the MPI implementation. Those of Fortran's
/// types are known if the module records its implementation.
std::optional<unsigned> getDatatypeExtent(llvm::StringRef name, mlir::Value of);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_CSIGNATURE_H
