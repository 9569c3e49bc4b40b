//===- Sums.h - Order-dependent reductions ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_SUMS_H
#define COMM_MPI_SUMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace comm::mpi {

/// Which sums and products of floating-point numbers may become nonblocking. MPI asks for one order of evaluation
/// whenever a function is applied to the same arguments (MPI-4, 6.9.1), but the nonblocking function is a different
/// one.
enum class SumOrder {
  Exact,   ///< None, as if nothing were known of the implementation.
  Ordered, ///< Those that both forms add in one order (ABI::addsInOrder), among a power of two of processes.
           ///< Limits are in Rounding.def.
  Any      ///< All: the last digits may change.
};

/// The operators that round: "MPI_SUM", "MPI_PROD".
llvm::ArrayRef<llvm::StringRef> getRoundingOps();

/// The predefined floating-point and complex datatypes of C, C++ and Fortran (MPI-4, 6.9.2).
llvm::ArrayRef<llvm::StringRef> getFloatingDatatypes();

/// Whether the last digits of a reduction may depend on the order in which contributions are combined. Takes MPI's
/// names; an empty name stands for an unknown value.
bool mayRound(llvm::StringRef op, llvm::StringRef datatype);

/// What is known about the start of a blocking collective, for the decision at run time (runtime/lib/overlap).
enum class StartKind {
  Exact,   ///< No sum or product of floating-point numbers.
  Sum,     ///< Such a sum, whatever its order.
  Ordered, ///< Such a sum, nonblocking only where both forms add in one order.
  Either   ///< It is not known which, and the order of sums does not matter.
};

llvm::StringRef stringifyStartKind(StartKind kind);
std::optional<StartKind> symbolizeStartKind(llvm::StringRef name);

/// Returns the function of runtime/lib/overlap that starts a blocking collective, or calls it.
std::string getStartName(llvm::StringRef blocking, StartKind kind);
inline constexpr llvm::StringLiteral kStartPrefix = "comm.start_";
/// Prefix, before MPI's name, of the functions that replace blocking calls.
inline constexpr llvm::StringLiteral kCallPrefix = "comm.call_";

} // namespace comm::mpi

#endif // COMM_MPI_SUMS_H
