//===- RankDependence.h - Rank-dependent code -------------------*- C++ -*-===//
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

/// Finds code that is executed depending on the rank of the process (or on another number from MPI: "size"). It
/// recognizes branches in one function on values derived from MPI_Comm_rank through arithmetic, local variables and
/// globals. It does not prove that other code is independent.
class RankDependence {
public:
  explicit RankDependence(mlir::ModuleOp module, llvm::StringRef number = "rank");

  /// Returns the branch or region op that depends on the rank and decides whether `op` runs, or null.
  mlir::Operation *findBranch(mlir::Operation *op);
  /// Whether the number decides which way the branch goes.
  bool dependsOnRank(mlir::Operation *branch);

private:
  bool dependsOnRank(mlir::Value value);

  llvm::StringRef number;

  llvm::DenseSet<mlir::Value> variables; // memory that holds a rank: stack slots
  llvm::StringSet<> globals;             // and globals
};

} // namespace comm

#endif // COMM_LIB_ANALYSIS_PHASES_RANKDEPENDENCE_H
