//===- GuardedWaits.h - Early waits under a condition --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a wait must stay before another unit only if something holds that is known at run time, the wait may pass it if
// another one, under that condition, stays. It is an operation of its own, `comm.wait_if` or `comm.waitall_if`, which
// takes part in scheduling as any other unit: its order is what the order of the wait would be if the condition held.
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
  /// Puts a guard right before each wait of an interval that can have one, for motion to place. Its condition is yet to
  /// be found.
  explicit GuardedWaits(mlir::Operation *function);
  /// None.
  GuardedWaits() = default;

  /// The wait passes something that it may pass only unless the condition holds.
  void require(mlir::Operation *guard, const Condition &condition);
  /// Gives the guards that were required their conditions, and takes the others out.
  void finish();

private:
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Question, 2>> guards;
  /// What stands for the conditions until then.
  mlir::Operation *placeholder = nullptr;
};

/// Whether a wait for requests in memory may have a guard: nobody looks at its statuses or its error code, and what it
/// completes is known.
bool canBeGuardedInMemory(mlir::Operation *op);
/// The guard of a wait for requests in memory, right before it, until it moves; null if it has none.
mlir::Operation *findGuardInMemory(mlir::Operation *wait);

/// Whether the answer to one of the questions is yes, as an i1 computed in front of the operation. What they ask about
/// is known there, or can be computed there from what is (GuardQuestions). `mayMeanNothing`: of a branch that is not
/// entered, so that an answer may be poison, which is to spoil no other one.
mlir::Value askAny(llvm::ArrayRef<Question> questions, mlir::Operation *place, mlir::DominanceInfo &dominance,
                   bool mayMeanNothing);

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDEDWAITS_H
