//===- CommToLLVM.h - comm ops become calls of MPI functions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_COMMTOLLVM_H
#define COMM_CONVERSION_COMMTOLLVM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class LLVMTypeConverter;
class Operation;
class RewritePatternSet;
class Type;
class TypeConverter;
} // namespace mlir

namespace comm {

namespace mpi {
class ABI;
} // namespace mpi

/// The predefined datatype whose elements are of that type (MPI-4, 3.2.2): f64 to "MPI_DOUBLE". "" if there is none.
llvm::StringRef getMPIDatatypeName(mlir::Type elementType);

/// Converts handles to the ABI's representation, a pointer or an integer, and a status to bytes. Every other type stays
/// as it is, or as the converter had it.
void populateCommToLLVMTypeConversions(mlir::TypeConverter &converter, const mpi::ABI &abi);

/// Patterns for all comm ops. They need what `verifyConvertibleToLLVM` checks: without it a pattern just fails. The
/// converter must have the conversions of populateCommToLLVMTypeConversions.
void populateCommToLLVMConversionPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                                          const mpi::ABI &abi);

/// Fails with an error at each comm op in `root`, a module, that has no counterpart in that ABI.
llvm::LogicalResult verifyConvertibleToLLVM(mlir::Operation *root, const mpi::ABI &abi);

/// Makes the handle of a request that a test may have completed be read again where it leaves comm (a branch, a call, a
/// return): the test sets it to MPI_REQUEST_NULL. To run before the patterns.
void reloadForwardedRequests(mlir::Operation *root, const mpi::ABI &abi);

/// Puts waits that left the branch of their start (`comm.left`) into a branch of their own, which is taken if the
/// request is not null, as it is from the beginning of the function on.
void guardLeftWaits(mlir::Operation *root, const mpi::ABI &abi);

} // namespace comm

#endif // COMM_CONVERSION_COMMTOLLVM_H
