//===- Rounding.h - Reductions that round -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_ROUNDING_H
#define COMM_DIALECT_COMM_UTILS_ROUNDING_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/MPI/Sums.h"

namespace comm {

/// Whether the last digits of a reduction among processes depend on the order of its contributions. `Maybe` if the
/// operator or datatype is unknown.
enum class Rounding { No, Maybe, Yes };
/// `sums`: with SumOrder::Exact, minima and maxima of floating-point numbers count, too.
Rounding getRounding(MPIOpInterface op, mpi::SumOrder sums);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_ROUNDING_H
