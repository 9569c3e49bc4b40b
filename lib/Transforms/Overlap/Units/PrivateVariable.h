//===- PrivateVariable.h - A variable on the stack, and its uses -*- C++ -*-===//
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

/// Bytes of a variable: from `begin` to before `end`.
struct VariableRange {
  int64_t begin, end;
  bool meets(const VariableRange &other) const { return begin < other.end && other.begin < end; }
};

/// One variable on the stack, and all that is done with it as long as nobody else has a pointer to it.
class PrivateVariable {
public:
  using Range = VariableRange;

  explicit PrivateVariable(mlir::LLVM::AllocaOp variable);

  mlir::LLVM::AllocaOp getVariable() const { return variable; }
  /// Plain loads from known bytes.
  llvm::ArrayRef<std::pair<mlir::LLVM::LoadOp, Range>> getLoads() const { return loads; }
  /// Other loads: volatile, atomic, or of bytes that are chosen at run time.
  llvm::ArrayRef<mlir::LLVM::LoadOp> getOtherLoads() const { return otherLoads; }
  /// Everything else. What may touch any byte has a range of all.
  llvm::ArrayRef<std::pair<mlir::Operation *, Range>> getChanges() const { return changes; }
  /// Bytes, where their number is constant.
  std::optional<int64_t> getSize() const;
  /// Whether somebody else may have a pointer to it in the loop: destructors that may keep one come after it. MPI
  /// forgets the buffer of a message that is complete before the block ends, if the loop is another block.
  bool isKnownIn(const mlir::CFGLoop &loop) const;
  /// Whether nobody else ever has one; MPI may during a call.
  bool isNeverKnown() const { return shown.empty(); }
  bool isChangedIn(const mlir::CFGLoop &loop, Range range) const;

private:
  void noteUse(mlir::OpOperand &use, std::optional<int64_t> offset);

  mlir::LLVM::AllocaOp variable;
  mlir::DataLayout layout;
  llvm::SmallVector<std::pair<mlir::LLVM::LoadOp, Range>> loads;
  llvm::SmallVector<mlir::LLVM::LoadOp> otherLoads;
  llvm::SmallVector<std::pair<mlir::Operation *, Range>> changes;
  /// After these somebody else may have a pointer to it.
  llvm::SmallVector<mlir::Operation *> shown;
};

/// The loops with intervals, or with waits of the program for requests in memory.
llvm::DenseSet<mlir::CFGLoop *> findCommunicatingLoops(const mlir::CFGLoopInfo &loops, mlir::Region &body);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_UNITS_PRIVATEVARIABLE_H
