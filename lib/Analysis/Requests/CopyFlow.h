//===- CopyFlow.h - Copied requests -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `MPI_Irecv(..., &request); requests.push_back(request);`: forward data flow of requests through the allocations of an
// object and the values through which they are copied. The slots within an allocation are not tracked.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_REQUESTS_COPYFLOW_H
#define COMM_LIB_ANALYSIS_REQUESTS_COPYFLOW_H

#include "FlowBlocks.h"
#include "RequestObject.h"

#include <vector>

namespace comm {

class CopyFlow {
public:
  /// The object must not be open.
  CopyFlow(const RequestObject &object, FlowBlocks &blocks);
  void solve();
  /// Calls `fn` with each wait and the starts that it may complete.
  void forEachWait(llvm::function_ref<void(mlir::Operation *, const ActiveStarts &)> fn);

private:
  /// An allocation, or a value that may be a request.
  using Place = unsigned;
  /// The starts that may be in each place. Empty for blocks that are not reached yet.
  using State = std::vector<ActiveStarts>;

  void findPlaces();
  /// Returns the allocations that the pointer may point into.
  llvm::ArrayRef<Place> getPlaces(mlir::Value pointer) const;
  /// Whether storing this many bytes there overwrites a whole variable of the function.
  bool isWhole(mlir::Value pointer, uint64_t stored) const;
  void put(State &state, mlir::Value pointer, const ActiveStarts &starts, bool replaces) const;
  ActiveStarts get(const State &state, llvm::ArrayRef<Place> places) const;
  ActiveStarts getValue(const State &state, mlir::Value value) const;
  State getIncoming(mlir::Block *block) const;
  void transfer(mlir::Operation &op, State &state) const;

  const RequestObject &object;
  FlowBlocks &blocks;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Place, 2>> pointsTo;
  /// The places of values that may be requests.
  llvm::DenseMap<mlir::Value, Place> placeOf;
  /// For each allocation, the blocks in which or after which pointers into it are used.
  std::vector<llvm::BitVector> live;
  /// Indexed by block.
  std::vector<State> in, out;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTS_COPYFLOW_H
