//===- GuardedWaits.h - Early waits under a condition --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a wait must precede another unit only under a condition that is known at run time, the wait may pass that unit as
// long as a conditional wait stays. This guard is a separate operation, `comm.wait_if` or `comm.waitall_if`, which is
// scheduled like any other unit: in the order that the wait would have if the condition held.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEDWAITS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEDWAITS_H

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

namespace comm {

/// The guards of one function, from before motion to after it.
class GuardedWaits {
public:
  /// Creates a guard right before each wait of an interval that can have one, for motion to place. Its condition is set
  /// later.
  explicit GuardedWaits(mlir::Operation *function);
  /// Has no guards.
  GuardedWaits() = default;

  /// Records that the guard's wait passes a unit that it must not pass if the condition holds.
  void require(mlir::Operation *guard, const Condition &condition);
  /// Sets the conditions of the guards that were required and erases the others.
  void finish();

private:
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Question, 2>> guards;
  /// The placeholder for the conditions until then.
  mlir::Operation *placeholder = nullptr;
};

/// Returns true if a wait for requests in memory may have a guard: its statuses and its error code are unused, and what
/// it completes is known.
bool canBeGuardedInMemory(mlir::Operation *op);
/// Returns the guard of a wait for requests in memory, which is right before it until it moves, or null.
mlir::Operation *findGuardInMemory(mlir::Operation *wait);

/// Returns whether the answer to one of the questions is yes, as an i1 computed before the operation. The operands
/// of the questions are available there or can be computed from available values (GuardQuestions). `mayMeanNothing`: a
/// question may be about a branch that is not entered. Its answer may be poison, which must not affect the others.
mlir::Value askAny(llvm::ArrayRef<Question> questions, mlir::Operation *place, mlir::DominanceInfo &dominance,
                   bool mayMeanNothing);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEDWAITS_H
