//===- PrivateVariable.h - A stack variable and its uses --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_UNITS_PRIVATEVARIABLE_H
#define COMM_LIB_TRANSFORMS_OVERLAP_UNITS_PRIVATEVARIABLE_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace comm {

/// The bytes [begin, end) of a variable.
struct VariableRange {
  int64_t begin, end;
  bool meets(const VariableRange &other) const { return begin < other.end && other.begin < end; }
};

/// A stack variable and all its uses as long as no other code has a pointer to it.
class PrivateVariable {
public:
  using Range = VariableRange;

  explicit PrivateVariable(mlir::LLVM::AllocaOp variable);

  mlir::LLVM::AllocaOp getVariable() const { return variable; }
  /// Plain loads from known bytes.
  llvm::ArrayRef<std::pair<mlir::LLVM::LoadOp, Range>> getLoads() const { return loads; }
  /// Other loads: volatile, atomic, or of bytes that are selected at run time.
  llvm::ArrayRef<mlir::LLVM::LoadOp> getOtherLoads() const { return otherLoads; }
  /// All other uses. Those that may touch any byte have an unlimited range.
  llvm::ArrayRef<std::pair<mlir::Operation *, Range>> getChanges() const { return changes; }
  /// Returns the size in bytes if it is constant.
  std::optional<int64_t> getSize() const;
  /// Returns true if other code may have a pointer to the variable in the loop. Destructors that may keep one follow
  /// the loop. MPI does not keep the buffer of a message that completes within its block, if the loop is not that
  /// block.
  bool isKnownIn(const mlir::CFGLoop &loop) const;
  /// Returns true if no other code ever has a pointer to it; MPI may have one during a call.
  bool isNeverKnown() const { return shown.empty(); }
  bool isChangedIn(const mlir::CFGLoop &loop, Range range) const;

private:
  void noteUse(mlir::OpOperand &use, std::optional<int64_t> offset);

  mlir::LLVM::AllocaOp variable;
  mlir::DataLayout layout;
  llvm::SmallVector<std::pair<mlir::LLVM::LoadOp, Range>> loads;
  llvm::SmallVector<mlir::LLVM::LoadOp> otherLoads;
  llvm::SmallVector<std::pair<mlir::Operation *, Range>> changes;
  /// After these operations, other code may have a pointer to the variable.
  llvm::SmallVector<mlir::Operation *> shown;
};

/// Returns the loops with intervals, or with waits of the program for requests in memory.
llvm::DenseSet<mlir::CFGLoop *> findCommunicatingLoops(const mlir::CFGLoopInfo &loops, mlir::Region &body);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_PRIVATEVARIABLE_H
