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

/// Which waits of a chain may pass other units because their guards can ask, at run time, whether that is right. Units
/// by their index in the chain.
class GuardQuestions {
public:
  GuardQuestions(const Chain &chain, MemoryOracle &oracle, Dependence &dependence, mlir::DominanceInfo &dominance)
      : chain(chain), oracle(oracle), dependence(dependence), dominance(dominance) {}

  void addGuard(unsigned wait, unsigned guard) { guardOf[wait] = guard; }
  /// Whether the first unit is a wait that must stay before the second one under a condition that its guard can ask.
  bool canAskInstead(unsigned first, unsigned second);
  /// Calls `fn` with the units that the guard of the wait `first` has to come after, to ask about the second unit.
  void forEachProvider(unsigned first, unsigned second, llvm::function_ref<void(unsigned)> fn);

private:
  /// Whether the runtime may be asked about the communicator of the unit `second`, which must be valid then: an
  /// operation that runs whenever the guard does is given it, or the question's branch, as a whole.
  bool isValidHandle(const Question &question, unsigned first, unsigned second);
  /// Whether the value is known where the guard is.
  bool canCompute(mlir::Value value, unsigned guard, unsigned depth);
  /// The unit that the guard has to come after for the value to be known there, -1 if there is none such in the chain;
  /// nothing if it is not known there.
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
