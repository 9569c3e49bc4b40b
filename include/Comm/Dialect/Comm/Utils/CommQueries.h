//===- CommQueries.h - Rank and size of a communicator -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_COMMQUERIES_H
#define COMM_DIALECT_COMM_UTILS_COMMQUERIES_H

#include "mlir/IR/Value.h"

#include <optional>

namespace comm {

/// The rank of the process in a communicator, or its number of processes.
struct CommQuery {
  bool isRank;
  mlir::Value communicator;
};

/// The query that computed the value, if MPI_Comm_rank or MPI_Comm_size did: as a result, or in a variable that nothing
/// else writes.
std::optional<CommQuery> getCommQuery(mlir::Value value);

/// Both are one handle, by whatever casts.
bool isSameHandle(mlir::Value a, mlir::Value b);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_COMMQUERIES_H
