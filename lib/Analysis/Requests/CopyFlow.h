//===- CopyFlow.h - Requests that are copied from place to place -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `MPI_Irecv(..., &request); requests.push_back(request);`: forward data flow of requests through the allocations of an
// object and the values by which they are copied. Which slots of an allocation they are in is not known.
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
  /// Calls `fn` for each wait and what it may complete.
  void forEachWait(llvm::function_ref<void(mlir::Operation *, const ActiveStarts &)> fn);

private:
  /// An allocation, or a value that may be a request.
  using Place = unsigned;
  /// What may be in each place; empty where control has not come yet.
  using State = std::vector<ActiveStarts>;

  void findPlaces();
  /// The allocations that the pointer may point into.
  llvm::ArrayRef<Place> getPlaces(mlir::Value pointer) const;
  /// Whether to store that many bytes there replaces all that a variable of the function holds.
  bool isWhole(mlir::Value pointer, uint64_t stored) const;
  void put(State &state, mlir::Value pointer, const ActiveStarts &starts, bool replaces) const;
  ActiveStarts get(const State &state, llvm::ArrayRef<Place> places) const;
  ActiveStarts getValue(const State &state, mlir::Value value) const;
  State getIncoming(mlir::Block *block) const;
  void transfer(mlir::Operation &op, State &state) const;

  const RequestObject &object;
  FlowBlocks &blocks;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Place, 2>> pointsTo;
  /// Of a value that may be a request.
  llvm::DenseMap<mlir::Value, Place> placeOf;
  /// The blocks in which, or after which, pointers into each allocation are used.
  std::vector<llvm::BitVector> live;
  /// By block.
  std::vector<State> in, out;
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_REQUESTS_COPYFLOW_H
