//===- Condition.h - Conditions for keeping an order ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ORDER_CONDITION_H
#define COMM_ANALYSIS_ORDER_CONDITION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace comm {

/// Whether two units touch the same memory, decided from values known at run time.
class MemoryQuestion {
public:
  virtual ~MemoryQuestion();
  virtual void forEachOperand(llvm::function_ref<void(mlir::Value)> fn) const = 0;
  /// Returns an i1: true if they may. The operands dominate the insertion point.
  virtual mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const = 0;
  /// Whether they do not overlap for typical values. Only for decisions about profitability.
  virtual bool isUnlikely() const = 0;
};

/// A question that is evaluated where the first of two units is. If the answer is yes, they keep their order.
struct Question {
  enum class Kind {
    /// Whether another file of the program has an observer (Observers.h).
    ObserverElsewhere,
    /// Whether several threads of a process may be in MPI.
    TalkingThreads,
    /// Whether processes of the communicator `first` (null: MPI_COMM_WORLD) may run an unknown program.
    OtherProgram,
    /// Whether `first` and `second` are different processes, and neither is MPI_PROC_NULL.
    OtherProcess,
    /// Whether the units touch the same memory.
    Memory
  };
  Kind kind;
  mlir::Value first, second;
  std::shared_ptr<const MemoryQuestion> memory;
  /// If the second unit is a branch with one arm, its condition. If the branch is not entered, the answer is no.
  mlir::Value entry = {};
  bool isEnteredIfTrue = true;

  bool operator==(const Question &other) const {
    return kind == other.kind && first == other.first && second == other.second && memory == other.memory &&
           entry == other.entry && isEnteredIfTrue == other.isEnteredIfTrue;
  }
  /// Visits the values that the question needs.
  void forEachOperand(llvm::function_ref<void(mlir::Value)> fn) const;
};

/// The condition under which two units must keep their order: always, or if the answer to one of the questions is yes.
/// A wait may pass the second unit if a wait under this condition (`comm.wait_if`) stays before it.
class Condition {
public:
  static Condition always() {
    Condition result;
    result.holds = true;
    return result;
  }
  static Condition never() { return Condition(); }
  static Condition ask(Question question) {
    Condition result;
    result.questions.push_back(std::move(question));
    return result;
  }

  bool isAlways() const { return holds; }
  bool isNever() const { return !holds && questions.empty(); }
  llvm::ArrayRef<Question> getQuestions() const { return questions; }
  Condition &operator|=(const Condition &other);
  /// Restricts the condition to the case that a branch is entered. An unconditional order stays unconditional.
  Condition ifEntered(mlir::Value entry, bool isEnteredIfTrue) const;

private:
  bool holds = false;
  llvm::SmallVector<Question, 2> questions;
};

} // namespace comm

#endif // COMM_ANALYSIS_ORDER_CONDITION_H
