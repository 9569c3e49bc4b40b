//===- TypicalStrides.cpp - Typical strides of arrays ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Interior.h"

using namespace comm;

/// Global, because typical values are needed deep inside of expressions. Each thread handles one nest of loops at a
/// time.
static thread_local TypicalStrides *current = nullptr;

TypicalStrides::TypicalStrides() : around(current) { current = this; }

TypicalStrides::~TypicalStrides() { current = around; }

TypicalStrides *TypicalStrides::getCurrent() { return current; }

/// Returns the symbol if the step is a constant multiple of one, and null otherwise.
static mlir::Value getNumber(const Expr &step) {
  if (step.isUnknown() || step.getTerms().size() != 1 || step.getTerms().front().atoms.size() != 1)
    return {};
  const Atom &atom = *step.getTerms().front().atoms.front();
  return atom.kind == Atom::Kind::Symbol ? atom.value : mlir::Value();
}

void TypicalStrides::add(const NestedPieces &access) {
  const Piece &piece = *access.back();
  if (piece.isWhole || piece.begin.isUnknown())
    return;
  llvm::SmallVector<Expr, 3> steps;
  for (unsigned level = 0; level + 1 < access.size(); ++level) {
    Expr step, rest;
    if (!piece.begin.splitLinear(level, step, rest))
      return;
    steps.push_back(step);
  }
  for (unsigned level = 0; level < steps.size(); ++level) {
    mlir::Value number = getNumber(steps[level]);
    if (!number)
      continue;
    // Constant steps are the shortest, followed by those of inner loops. A loop without others around it may go along a
    // column.
    unsigned shorter = 0, others = 0;
    for (unsigned other = 0; other < steps.size(); ++other)
      if (other != level && !steps[other].isZero()) {
        shorter += steps[other].getConstant() || other > level;
        ++others;
      }
    if (!others)
      continue;
    Step step{steps[level].getTerms().front().coefficient, shorter, piece.size.getConstant().value_or(0)};
    if (auto [known, isNew] = ofAccesses.try_emplace(number, step); !isNew && known->second.dimensions < shorter)
      known->second = step;
  }
}

void TypicalStrides::addEqual(const Expr &step, const Expr &other) {
  if (mlir::Value number = getNumber(step))
    equals.try_emplace(number, EqualStep{step.getTerms().front().coefficient, other});
}

std::optional<TypicalStrides::EqualStep> TypicalStrides::getEqual(mlir::Value number) const {
  auto it = equals.find(number);
  return it == equals.end() ? std::nullopt : std::optional(it->second);
}

std::optional<TypicalStrides::Step> TypicalStrides::getStep(mlir::Value number) const {
  auto it = ofAccesses.find(number);
  return it == ofAccesses.end() ? std::nullopt : std::optional(it->second);
}
