//===- RequestFlow.h - Which starts a wait completes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program keeps requests in arrays, in structures, on the heap, starts them in loops and branches, and waits for them
// all at once or one by one. The array is followed as one object: which starts may have put the requests into it that
// are active when a wait looks at it. That is all that a wait which moves has to know: what it may complete.
// docs/soundness.md has the rules.
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
  /// Values that are computed in these blocks may be others at the wait than they were at the start: the buffers of all
  /// iterations are in flight, not those of the last one.
  std::shared_ptr<const llvm::DenseSet<mlir::Block *>> renewed;

  /// Whether the value is at the wait what it was at the start.
  bool isSame(mlir::Value value) const;
};

/// What is known of the requests in memory that a wait completes.
struct CompletedStarts {
  /// All that may be active in its memory when it runs.
  llvm::SmallVector<InFlightStart, 4> starts;
  /// Why that is not known, for people; "" if it is.
  std::string whyUnknown;

  bool isKnown() const { return whyUnknown.empty(); }
};

/// The requests that one function keeps in memory.
class RequestFlow {
public:
  explicit RequestFlow(mlir::Operation *function);
  ~RequestFlow();

  /// Of MPI_Wait and MPI_Waitall of requests in memory; null for other operations.
  const CompletedStarts *find(mlir::Operation *wait) const;
  /// Whether only completions of this function ever learn of the request that the start puts into memory, so that MPI
  /// has forgotten its buffers once they are over.
  bool isFollowed(mlir::Operation *start) const { return followed.contains(start); }
  /// Why requests in this memory are not followed, of a start or completion; "" if they are.
  std::string whyNotFollowed(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, CompletedStarts> completed;
  llvm::DenseSet<mlir::Operation *> followed;
  llvm::DenseMap<mlir::Operation *, std::string> causes;
};

/// The same of all functions of a module, which must not change meanwhile: each is looked at when it is asked for.
class RequestFlows {
public:
  const RequestFlow &get(mlir::Operation *op);
  /// See RequestFlow::find.
  const CompletedStarts *find(mlir::Operation *wait);

private:
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<RequestFlow>> flows;
};

/// The pointer to requests of a start or completion in memory; null for other operations.
mlir::Value getRequestPointer(mlir::Operation *op);
/// Whether it is MPI_Wait or MPI_Waitall of requests in memory.
bool isWaitInMemory(mlir::Operation *op);
/// Whether it frees memory, as free and operator delete do.
bool isDeallocation(mlir::Operation *op);
/// Whether it starts a request in memory: nonblocking, and no operation on a window.
bool isStartInMemory(mlir::Operation *op);

} // namespace comm

#endif // COMM_ANALYSIS_REQUESTS_REQUESTFLOW_H
