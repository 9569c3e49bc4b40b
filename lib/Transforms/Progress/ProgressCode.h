//===- ProgressCode.h - Calls that let MPI progress ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_PROGRESS_PROGRESSCODE_H
#define COMM_LIB_TRANSFORMS_PROGRESS_PROGRESSCODE_H

#include "Flights.h"
#include "LoopPlaces.h"

#include "Comm/Transforms/Utils/RuntimeCalls.h"

namespace comm {

/// The loops of one unit, and the communications in flight meanwhile.
struct ProgressPlan {
  Unit unit;
  LoopPlaces places;
  std::vector<Flight> flights;
  /// The first operation of each flight's unit, in the same order.
  llvm::SmallVector<mlir::Operation *> begins;
};

/// Generates the code of one function: after starts, before loops, and in loops.
class ProgressCode {
public:
  ProgressCode(RuntimeCalls &runtime, const mpi::ABI &abi, bool ignoresSizes, mlir::Region &body)
      : runtime(runtime), abi(abi), ignoresSizes(ignoresSizes), builder(body.getContext()), body(body) {}
  void insert(ProgressPlan &plan);

private:
  /// Values used by the code in the loops of a plan.
  struct Nest {
    mlir::Location loc;
    mlir::Value state, credit, requests;
    llvm::SmallVector<mlir::Value> handles;
  };
  mlir::Value askAfter(const Flight &flight, mlir::Operation *begin);
  mlir::Value ask(const Flight &flight);
  mlir::Value combine(mlir::Location loc, mlir::Value a, mlir::Value b);
  void addTick(const Nest &nest, mlir::Value slot, mlir::Block *block);
  void addCall(const Nest &nest, mlir::Value slot);

  mlir::Value constant(mlir::Location loc, mlir::Type type, int64_t value);
  mlir::Value toABI(mlir::Location loc, mlir::Value handle);
  mlir::Value makeNull(mlir::Location loc, mlir::Type type);

  RuntimeCalls &runtime;
  const mpi::ABI &abi;
  bool ignoresSizes;
  mlir::OpBuilder builder;
  mlir::Region &body;
  /// The answer of the runtime after each start: a value, or the slot that contains it.
  llvm::DenseMap<mlir::Operation *, mlir::Value> answers;
  /// The starts and units at whose beginning the slot is reset to 0.
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Operation *>> resets;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_PROGRESS_PROGRESSCODE_H
