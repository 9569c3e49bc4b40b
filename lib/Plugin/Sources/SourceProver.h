//===- SourceProver.h - Whether a number is a process -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_SOURCES_SOURCEPROVER_H
#define COMM_LIB_PLUGIN_SOURCES_SOURCEPROVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/ConstantRange.h"

#include <functional>
#include <optional>

namespace llvm {
class Function;
class Instruction;
class LazyValueInfo;
class LoadInst;
class PHINode;
class SelectInst;
class StoreInst;
class Value;
} // namespace llvm

namespace comm {
class Objects;

/// Proves that values are not MPI_ANY_SOURCE. What is in doubt is not proved.
///
/// Cycles (loops, variables that are stored to what was loaded from them) are taken by induction over the execution:
/// what is to be proved of a value may be assumed of its earlier ones.
class SourceProver {
public:
  using GetRanges = std::function<llvm::LazyValueInfo &(llvm::Function &)>;

  /// `anySources`: the numbers that may be MPI_ANY_SOURCE. `variablesAreKnown`: what is no constant is known.
  SourceProver(llvm::ArrayRef<int64_t> anySources, Objects &objects, GetRanges getRanges, bool variablesAreKnown)
      : anySources(anySources), objects(objects), getRanges(std::move(getRanges)),
        variablesAreKnown(variablesAreKnown) {}

  /// Whether the value is another number wherever `at` is executed.
  bool isKnown(llvm::Value *value, llvm::Instruction *at);

private:
  /// The values that it can have, as far as it is computed from constants, ranks and numbers of processes.
  llvm::ConstantRange getRange(llvm::Value *value);
  llvm::ConstantRange computeRange(llvm::Value *value);
  llvm::ConstantRange getVariableRange(llvm::LoadInst &load);
  std::optional<llvm::ConstantRange> getDoVariableRange(llvm::PHINode &phi);
  bool isAtLeastUnder(llvm::Value *a, llvm::Value *b, llvm::Value *condition, bool isTrue);
  bool isDifferenceKnown(llvm::Value *value, llvm::Instruction *at);
  bool isPhiKnown(llvm::PHINode &phi);
  bool isSelectKnown(llvm::SelectInst &select, llvm::Instruction *at);
  bool isLoadKnown(llvm::Value *load);
  bool isKnownWhereSeen(llvm::StoreInst &store, llvm::LoadInst &load);
  bool isArgumentKnown(llvm::Value *argument);
  /// Whether the value is known where the condition is as given.
  bool isKnownUnder(llvm::Value *value, llvm::Value *condition, bool isTrue);
  /// Whether a send to that process is executed, too, wherever `at` is: there MPI_ANY_SOURCE would be an error.
  bool isDestination(const llvm::Value *value, const llvm::Instruction *at);
  /// Whether it follows from what is known of the same number where it was loaded before.
  bool isKnownOfReloads(llvm::Value *value, llvm::Instruction *at);
  bool excludes(const llvm::ConstantRange &range) const;

  llvm::ArrayRef<int64_t> anySources;
  Objects &objects;
  GetRanges getRanges;
  bool variablesAreKnown;
  /// What is being proved, and may be assumed of earlier values.
  llvm::DenseSet<llvm::Value *> assumed, notNegative;
  unsigned depth = 0, steps = 0;
};

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_SOURCEPROVER_H
