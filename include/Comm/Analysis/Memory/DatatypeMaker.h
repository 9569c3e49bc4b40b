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

/// Returns the name of a predefined datatype, also if the handle is a value of the llvm dialect; "" for other values.
llvm::StringRef getDatatypeName(mlir::Value handle);

/// A call that makes a datatype.
struct DatatypeMaker {
  mlir::CallOpInterface call;
  const mpi::Function *function = nullptr;

  explicit operator bool() const { return function; }
  /// Returns the argument for the parameter of that name, or null.
  mlir::Value get(llvm::StringRef parameter);
};

/// Returns the only call in this function that made a datatype that is loaded from a variable, or a structure member,
/// on the stack: it dominates the load, and nothing writes the handle in between. Returns none if that is not known.
/// The handle may reach this value through a guard.
DatatypeMaker findDatatypeMaker(mlir::Value handle);

/// Returns the name of the predefined datatype of all elements, or "" if it is unknown or not unique.
llvm::StringRef getElementName(mlir::Value datatype);

/// Whether the datatype is known to hold no addresses: it is predefined, or made from such types by calls without lists
/// of MPI_Aint. A buffer of this type cannot be MPI_BOTTOM (MPI-4, 5.1.5).
bool isRelative(mlir::Value datatype);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_DATATYPEMAKER_H
