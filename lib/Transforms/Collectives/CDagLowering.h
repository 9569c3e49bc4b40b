//===- CDagLowering.h - A graph becomes calls of the runtime ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_COLLECTIVES_CDAGLOWERING_H
#define COMM_LIB_TRANSFORMS_COLLECTIVES_CDAGLOWERING_H

#include "Comm/Transforms/Utils/RuntimeCalls.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/MPI/ABI.h"

namespace comm {

/// What all lowerings of a graph share: calls before its region, in the place of its operations, and after it.
class CDagLowering {
public:
  CDagLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi);
  virtual ~CDagLowering() = default;
  void run();

protected:
  /// At the builder's insertion point, right before the region and right after it.
  virtual void begin() = 0;
  virtual void end() = 0;
  /// Each operation of the region is called once, in the order of the text; it stays to be erased.
  virtual void lower(mlir::Operation *op) = 0;

  /// Handles as the implementation passes them, everything else as it is.
  mlir::Value toABI(mlir::Value value);
  llvm::SmallVector<mlir::Value> toABI(llvm::ArrayRef<mlir::Value> values);
  /// "solver.c:12:3 (solve)": the same in all processes, for they run the same program.
  mlir::Value getSite();
  mlir::Value constant(mlir::Type type, int64_t value);
  /// A slot on the stack of the function.
  mlir::Value createSlot(mlir::Type type, int64_t count = 1);

  CDagOp graph;
  RuntimeCalls &runtime;
  const mpi::ABI &abi;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type i32, pointer;
};

/// Graphs with implied dependencies: phases of comm/cdag.h.
std::unique_ptr<CDagLowering> createPhaseLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi);
/// Graphs with explicit dependencies, or of transfers: graphs of comm/cdag.h.
std::unique_ptr<CDagLowering> createExplicitLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi);

/// Fails with an error unless the runtime can execute the graph.
llvm::LogicalResult verifyLowerable(CDagOp graph);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_CDAGLOWERING_H
