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

/// A query of the process's rank in a communicator, or of the number of processes.
struct CommQuery {
  bool isRank;
  mlir::Value communicator;
};

/// Returns the query if MPI_Comm_rank or MPI_Comm_size computed the value: as a result, or in a variable that nothing
/// else writes.
std::optional<CommQuery> getCommQuery(mlir::Value value);

/// Whether both are the same handle, looking through casts.
bool isSameHandle(mlir::Value a, mlir::Value b);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_COMMQUERIES_H
