//===- DatatypeMaker.h - The call that makes a datatype ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_DATATYPEMAKER_H
#define COMM_ANALYSIS_MEMORY_DATATYPEMAKER_H

#include "Comm/MPI/Standard.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace comm {

/// The name of the predefined datatype that the value is, also as what calls of the llvm dialect get; "" if it is none.
llvm::StringRef getDatatypeName(mlir::Value handle);

/// A call that makes a datatype.
struct DatatypeMaker {
  mlir::CallOpInterface call;
  const mpi::Function *function = nullptr;

  explicit operator bool() const { return function; }
  /// What it passes to the parameter of that name; null if there is none.
  mlir::Value get(llvm::StringRef parameter);
};

/// The one call of this function that made the datatype which is loaded from a variable, or a member of a structure, on
/// the stack: on all ways it comes before the load, and nothing writes there between. None if nobody knows. The handle
/// may come from the load through a guard.
DatatypeMaker findDatatypeMaker(mlir::Value handle);

/// The name of the predefined datatype that all elements have; "" if it is not known, or they have several.
llvm::StringRef getElementName(mlir::Value datatype);

/// Whether the datatype is known to hold no addresses: it is predefined, or made of such by calls without lists of
/// MPI_Aint. Then no buffer of it is MPI_BOTTOM (MPI-4, 5.1.5).
bool isRelative(mlir::Value datatype);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_DATATYPEMAKER_H
