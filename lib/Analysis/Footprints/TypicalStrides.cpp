//===- TypicalStrides.cpp - How far loops step over arrays ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Interior.h"

using namespace comm;

/// What is asked of numbers as programs have them is asked deep within expressions, by one thread for one nest of loops.
static thread_local const TypicalStrides *current = nullptr;

TypicalStrides::TypicalStrides() : around(current) { current = this; }

TypicalStrides::~TypicalStrides() { current = around; }

const TypicalStrides *TypicalStrides::getCurrent() { return current; }

/// The number that the step is a multiple of by a constant; null if it is another one.
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
    // Steps that are constants are the shortest ones; of the others, those of inner loops.
    unsigned shorter = 0;
    for (unsigned other = 0; other < steps.size(); ++other)
      if (other != level && !steps[other].isZero())
        shorter += steps[other].getConstant() || other > level;
    auto [known, isNew] = dimensions.try_emplace(number, shorter);
    known->second = std::max(known->second, shorter);
  }
}

std::optional<unsigned> TypicalStrides::getDimensions(mlir::Value number) const {
  auto it = dimensions.find(number);
  return it == dimensions.end() ? std::nullopt : std::optional(it->second);
}
