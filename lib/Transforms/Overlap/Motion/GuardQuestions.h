//===- GuardQuestions.h - What guards of waits can ask ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDQUESTIONS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDQUESTIONS_H

#include "Comm/Analysis/Order/Dependence.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace comm {

/// Finds the waits of a chain that may pass other units because their guards can ask at run time whether that is right.
/// Units are given by their index in the chain.
class GuardQuestions {
public:
  GuardQuestions(const Chain &chain, MemoryOracle &oracle, Dependence &dependence, mlir::DominanceInfo &dominance)
      : chain(chain), oracle(oracle), dependence(dependence), dominance(dominance) {}

  void addGuard(unsigned wait, unsigned guard) { guardOf[wait] = guard; }
  /// Returns true if the first unit is a wait that must precede the second one only under a condition that its guard
  /// can ask about.
  bool canAskInstead(unsigned first, unsigned second);
  /// Calls `fn` with the units that the guard of the wait `first` must follow to ask about the second unit.
  void forEachProvider(unsigned first, unsigned second, llvm::function_ref<void(unsigned)> fn);

private:
  /// Returns true if the runtime may be asked about the communicator of the unit `second`. It is valid if it is passed
  /// to an operation that runs whenever the guard does, or whenever the question's branch is entered.
  bool isValidHandle(const Question &question, unsigned first, unsigned second);
  /// Returns true if the value can be computed at the guard.
  bool canCompute(mlir::Value value, unsigned guard, unsigned depth);
  /// Returns the unit that the guard must follow for the value to be available, or -1 if no unit of the chain defines
  /// it. Returns none if the value is not available there.
  std::optional<int> findProvider(mlir::Value value, unsigned guard) const;
  void visitProviders(mlir::Value value, unsigned guard, llvm::function_ref<void(unsigned)> fn) const;

  const Chain &chain;
  MemoryOracle &oracle;
  Dependence &dependence;
  mlir::DominanceInfo &dominance;
  llvm::DenseMap<unsigned, unsigned> guardOf;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_GUARDQUESTIONS_H
