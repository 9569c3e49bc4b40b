//===- DatatypeMaker.h - The call that makes a datatype ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_DATATYPEMAKER_H
#define COMM_ANALYSIS_MEMORY_DATATYPEMAKER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace comm {

/// The name of the predefined datatype that the value is, also as what calls of the llvm dialect get; "" if it is none.
llvm::StringRef getDatatypeName(mlir::Value handle);

/// The one call of this function that made the datatype which is loaded from a variable, or a member of a structure, on
/// the stack: on all ways it comes before the load, and nothing writes there between. Null if nobody knows. The handle
/// may come from the load through a guard.
mlir::LLVM::CallOp findDatatypeMaker(mlir::Value handle);

/// Whether the datatype is known to hold no addresses: it is predefined, or made of such by calls without lists of
/// MPI_Aint. Then no buffer of it is MPI_BOTTOM (MPI-4, 5.1.5).
bool isRelative(mlir::Value datatype);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_DATATYPEMAKER_H
