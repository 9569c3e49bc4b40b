//===- RequestFlow.h - Starts completed by a wait ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program keeps requests in arrays, in structures, or on the heap, starts them in loops and branches, and waits for
// them together or one by one. The analysis treats the array as one object and tracks which starts may have put active
// requests into it when a wait runs. To move the wait, it is enough to know what it may complete. docs/soundness.md has
// the rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_REQUESTS_REQUESTFLOW_H
#define COMM_ANALYSIS_REQUESTS_REQUESTFLOW_H

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <string>
#include <vector>

namespace comm {

/// A start whose request a wait may complete.
struct InFlightStart {
  MPIOpInterface start;
  /// The blocks in which values may be recomputed between the start and the wait. The buffers of all iterations are in
  /// flight, not only those of the last one.
  std::shared_ptr<const llvm::DenseSet<mlir::Block *>> renewed;

  /// Whether the value is the same at the wait as at the start.
  bool isSame(mlir::Value value) const;
};

/// The known requests in memory that a wait completes.
struct CompletedStarts {
  /// All starts whose requests may be active in its memory when it runs.
  llvm::SmallVector<InFlightStart, 4> starts;
  /// Why they are unknown, for messages; "" if they are known.
  std::string whyUnknown;

  bool isKnown() const { return whyUnknown.empty(); }
};

/// The requests that one function keeps in memory.
class RequestFlow {
public:
  explicit RequestFlow(mlir::Operation *function);
  ~RequestFlow();

  /// Returns the result for MPI_Wait or MPI_Waitall of requests in memory, and null for other operations.
  const CompletedStarts *find(mlir::Operation *wait) const;
  /// Whether only completions of this function ever see the request that the start puts into memory, so that MPI no
  /// longer uses the start's buffers after them.
  bool isFollowed(mlir::Operation *start) const { return followed.contains(start); }
  /// Returns why requests in the memory of a start or completion are not followed; "" if they are.
  std::string whyNotFollowed(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, CompletedStarts> completed;
  llvm::DenseSet<mlir::Operation *> followed;
  llvm::DenseMap<mlir::Operation *, std::string> causes;
};

/// The same for all functions of a module, which must not change meanwhile. Functions are analyzed on demand.
class RequestFlows {
public:
  const RequestFlow &get(mlir::Operation *op);
  /// See RequestFlow::find.
  const CompletedStarts *find(mlir::Operation *wait);

private:
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<RequestFlow>> flows;
};

/// Returns the pointer to the requests of a start or completion in memory, or null for other operations.
mlir::Value getRequestPointer(mlir::Operation *op);
/// Whether it is an MPI_Wait or MPI_Waitall of requests in memory.
bool isWaitInMemory(mlir::Operation *op);
/// Whether it frees memory, like free and operator delete.
bool isDeallocation(mlir::Operation *op);
/// Whether it starts a request in memory: nonblocking, and not an operation on a window.
bool isStartInMemory(mlir::Operation *op);

} // namespace comm

#endif // COMM_ANALYSIS_REQUESTS_REQUESTFLOW_H
