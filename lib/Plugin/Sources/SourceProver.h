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

/// Proves that values are not MPI_ANY_SOURCE; conservative in doubt.
///
/// Cycles (loops, variables that receive values loaded from them) are handled by induction over the execution: a proof
/// about a value may assume the claim for its earlier instances.
class SourceProver {
public:
  using GetRanges = std::function<llvm::LazyValueInfo &(llvm::Function &)>;

  /// `anySources`: possible values of MPI_ANY_SOURCE. `variablesAreKnown`: everything but constants counts as known.
  SourceProver(llvm::ArrayRef<int64_t> anySources, Objects &objects, GetRanges getRanges, bool variablesAreKnown)
      : anySources(anySources), objects(objects), getRanges(std::move(getRanges)),
        variablesAreKnown(variablesAreKnown) {}

  /// Whether the value differs from MPI_ANY_SOURCE wherever `at` executes.
  bool isKnown(llvm::Value *value, llvm::Instruction *at);

private:
  /// Returns the range of a value computed from constants, ranks and numbers of processes.
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
  /// Whether the value is known where the condition has the given truth value.
  bool isKnownUnder(llvm::Value *value, llvm::Value *condition, bool isTrue);
  /// Whether a send to that process always executes together with `at`: MPI_ANY_SOURCE would be an error there.
  bool isDestination(const llvm::Value *value, const llvm::Instruction *at);
  /// Whether facts about other loads of the same number make it known.
  bool isKnownOfReloads(llvm::Value *value, llvm::Instruction *at);
  bool excludes(const llvm::ConstantRange &range) const;

  llvm::ArrayRef<int64_t> anySources;
  Objects &objects;
  GetRanges getRanges;
  bool variablesAreKnown;
  /// Values whose proof is in progress, which may be assumed for earlier instances.
  llvm::DenseSet<llvm::Value *> assumed, notNegative;
  unsigned depth = 0, steps = 0;
};

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_SOURCEPROVER_H
