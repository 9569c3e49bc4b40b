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

/// Returns the predefined datatype for elements of this type (MPI-4, 3.2.2): f64 to "MPI_DOUBLE". "" if there is none.
llvm::StringRef getMPIDatatypeName(mlir::Type elementType);

/// Converts handles to the ABI's representation, a pointer or an integer, and a status to bytes. Leaves other types to
/// the converter's existing conversions.
void populateCommToLLVMTypeConversions(mlir::TypeConverter &converter, const mpi::ABI &abi);

/// Adds patterns for all comm ops. Patterns fail on ops that `verifyConvertibleToLLVM` rejects. The converter must have
/// the conversions of populateCommToLLVMTypeConversions.
void populateCommToLLVMConversionPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                                          const mpi::ABI &abi);

/// Reports an error at each comm op in the module `root` that has no counterpart in this ABI.
llvm::LogicalResult verifyConvertibleToLLVM(mlir::Operation *root, const mpi::ABI &abi);

/// Reloads the handle of a request that a test may have completed where it leaves comm (a branch, a call, a return),
/// since the test sets it to MPI_REQUEST_NULL. Must run before the patterns.
void reloadForwardedRequests(mlir::Operation *root, const mpi::ABI &abi);

/// Puts waits that left the branch of their start (`comm.left`) into a branch of their own, taken if the request is not
/// null. The request is initialized to null at the beginning of the function.
void guardLeftWaits(mlir::Operation *root, const mpi::ABI &abi);

/// Makes starts with a prediction (`comm.prediction`) the blocking call if their interval was short when it was last
/// executed. Must run before guardLeftWaits.
void followPredictions(mlir::Operation *root);

} // namespace comm

#endif // COMM_CONVERSION_COMMTOLLVM_H
