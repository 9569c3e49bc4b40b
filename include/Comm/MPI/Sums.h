//===- Sums.h - Reductions whose result depends on their order --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_SUMS_H
#define COMM_MPI_SUMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace comm::mpi {

/// Which sums and products of floating-point numbers may become nonblocking. MPI asks for one order of evaluation
/// whenever a function is applied to the same arguments (MPI-4, 6.9.1), but the nonblocking function is another one.
enum class SumOrder {
  Exact,     ///< None: the last digits stay as they were, whatever the number of processes.
  Allreduce, ///< MPI_Allreduce alone.
  Any        ///< All.
};

/// The operators that round: "MPI_SUM", "MPI_PROD".
llvm::ArrayRef<llvm::StringRef> getRoundingOps();

/// The predefined floating-point and complex datatypes of C, C++ and Fortran (MPI-4, 6.9.2).
llvm::ArrayRef<llvm::StringRef> getFloatingDatatypes();

/// Whether the last digits of a reduction may depend on the order in which contributions are combined. Names are those
/// of MPI; an empty one is of a value that is not known.
bool mayRound(llvm::StringRef op, llvm::StringRef datatype);

/// Whether the nonblocking form of that blocking function may take the place of it in such a reduction.
bool mayReorder(SumOrder order, llvm::StringRef function);

} // namespace comm::mpi

#endif // COMM_MPI_SUMS_H
