//===- Sums.h - Reductions whose result depends on their order --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_SUMS_H
#define COMM_MPI_SUMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace comm::mpi {

/// Which sums and products of floating-point numbers may become nonblocking. MPI asks for one order of evaluation
/// whenever a function is applied to the same arguments (MPI-4, 6.9.1), but the nonblocking function is another one.
enum class SumOrder {
  Exact,   ///< None, as if nothing were known of the implementation.
  Ordered, ///< Those that both forms add in one order (ABI::addsInOrder), among a power of two of processes.
  Any      ///< All: the last digits may change.
};

/// SumOrder::Ordered: among more processes than that, only reductions of so few elements at most. Among others than a
/// power of two the two forms pair the processes differently, or may.
inline constexpr int kMostOrderedProcesses = 16;
inline constexpr int kMostOrderedElements = 8;

/// The operators that round: "MPI_SUM", "MPI_PROD".
llvm::ArrayRef<llvm::StringRef> getRoundingOps();

/// The predefined floating-point and complex datatypes of C, C++ and Fortran (MPI-4, 6.9.2).
llvm::ArrayRef<llvm::StringRef> getFloatingDatatypes();

/// Whether the last digits of a reduction may depend on the order in which contributions are combined. Names are those
/// of MPI; an empty one is of a value that is not known.
bool mayRound(llvm::StringRef op, llvm::StringRef datatype);

/// Symbols that some file of the program defines if, and only if, it has nonblocking forms of a collective where the
/// program has blocking ones. Their addresses are the linker's answers to the question which form all files must call:
/// the two never match each other (MPI-4, 6.12).
enum class Marker {
  All,        ///< Of all calls, except sums and products of floating-point numbers.
  AllSums,    ///< Of these.
  OrderedSums ///< Of these where both forms add in one order.
};
std::string getMarkerName(llvm::StringRef blocking, Marker marker);

/// A function that starts a reduction which rounds, or calls its blocking form where that adds in another order.
std::string getSumStartName(llvm::StringRef blocking);

} // namespace comm::mpi

#endif // COMM_MPI_SUMS_H
