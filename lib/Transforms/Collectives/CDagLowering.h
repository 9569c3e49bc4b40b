//===- CDagLowering.h - Lower a graph to runtime calls ----------*- C++ -*-===//
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

/// The common part of all lowerings of a graph: calls before its region, in the place of its operations, and after it.
class CDagLowering {
public:
  CDagLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi);
  virtual ~CDagLowering() = default;
  void run();

protected:
  /// Called right before the region and right after it, at the builder's insertion point.
  virtual void begin() = 0;
  virtual void end() = 0;
  /// Lowers an operation. Called once for each operation of the region, in textual order; the caller erases the
  /// operation.
  virtual void lower(mlir::Operation *op) = 0;

  /// Returns handles as the implementation passes them, and other values unchanged.
  mlir::Value toABI(mlir::Value value);
  llvm::SmallVector<mlir::Value> toABI(llvm::ArrayRef<mlir::Value> values);
  /// Returns "solver.c:12:3 (solve)", which is the same in all processes because they run the same program.
  mlir::Value getSite();
  mlir::Value constant(mlir::Type type, int64_t value);
  /// Creates a slot on the stack of the function.
  mlir::Value createSlot(mlir::Type type, int64_t count = 1);

  CDagOp graph;
  RuntimeCalls &runtime;
  const mpi::ABI &abi;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type i32, pointer;
};

/// Creates the lowering of graphs with implied dependencies: phases of comm/cdag.h.
std::unique_ptr<CDagLowering> createPhaseLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi);
/// Creates the lowering of graphs with explicit dependencies, or of transfers: graphs of comm/cdag.h.
std::unique_ptr<CDagLowering> createExplicitLowering(CDagOp graph, RuntimeCalls &runtime, const mpi::ABI &abi);

/// Emits an error unless the runtime can execute the graph.
llvm::LogicalResult verifyLowerable(CDagOp graph);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_COLLECTIVES_CDAGLOWERING_H
