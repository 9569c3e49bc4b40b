//===- RankDependence.h - What only some processes execute --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_PHASES_RANKDEPENDENCE_H
#define COMM_LIB_ANALYSIS_PHASES_RANKDEPENDENCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace comm {

/// Finds code that is executed or not by what a process's rank is (or another number that MPI gives: "size"). It sees
/// branches of one function on values that come from MPI_Comm_rank by way of arithmetic, local variables and globals;
/// it proves nothing of code that it does not object to.
class RankDependence {
public:
  explicit RankDependence(mlir::ModuleOp module, llvm::StringRef number = "rank");

  /// The branch or region op on which it depends whether `op` is executed, and which looks at the rank; or null.
  mlir::Operation *findBranch(mlir::Operation *op);
  /// Which way the branch goes depends on the number.
  bool dependsOnRank(mlir::Operation *branch);

private:
  bool dependsOnRank(mlir::Value value);

  llvm::StringRef number;

  llvm::DenseSet<mlir::Value> variables; // memory that holds a rank: stack slots
  llvm::StringSet<> globals;             // and globals
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_RANKDEPENDENCE_H
