//===- FootprintConditions.h - When units touch the same bytes ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_MOTION_FOOTPRINTCONDITIONS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_MOTION_FOOTPRINTCONDITIONS_H

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Analysis/Footprints/MemRefFootprints.h"
#include "Comm/Analysis/Order/Dependence.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace comm {

/// Tells units apart by which bytes they touch, where alias analysis sees one object: a ghost row from its neighbor.
/// The module must not change while it lives, apart from the order of its operations.
class FootprintConditions : public MemoryRefiner {
public:
  /// The oracle of the module has to live longer.
  explicit FootprintConditions(MemoryOracle &oracle) : oracle(oracle) {}
  Condition refine(const Unit &first, const Unit &second, const Chain &chain) final;

private:
  const Footprint &getFootprint(const Unit &unit, const Chain &chain);
  Footprint findFootprint(const Unit &unit);
  Footprint findLeftFootprint(const Unit &unit, const Chain &chain);
  const Boxes &getBoxes(const Unit &unit);
  FootprintAnalysis *getAnalysis();
  /// When the two meet, if `areApart` tells when they do not.
  Condition ask(Predicate areApart);
  Condition refineOwnWait(const Unit &wait, const Unit &other, const Chain &chain);
  Predicate compare(const Footprint &a, const Footprint &b);
  Predicate compareFootprints(const Unit &first, const Unit &second, const Chain &chain);
  Predicate compareBoxes(const Unit &first, const Unit &second);

  MemoryOracle &oracle;
  /// Made when it is asked first.
  std::unique_ptr<FootprintAnalysis> analysis;
  bool isTried = false;
  /// Where it was asked last, and how much was compared there.
  mlir::Operation *function = nullptr;
  unsigned numPairs = 0;
  llvm::DenseMap<mlir::Operation *, Footprint> footprints;
  MemRefFootprints memrefs;
  llvm::DenseMap<mlir::Operation *, Boxes> boxes;
  /// By what they ask.
  llvm::StringMap<std::shared_ptr<const MemoryQuestion>> questions;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_FOOTPRINTCONDITIONS_H
