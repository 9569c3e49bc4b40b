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

/// Distinguishes units by the bytes that they touch where alias analysis sees one object, such as a ghost row and its
/// neighbor. Only the order of the module's operations may change during its lifetime.
class FootprintConditions : public MemoryRefiner {
public:
  /// The oracle of the module must outlive this object.
  explicit FootprintConditions(MemoryOracle &oracle) : oracle(oracle) {}
  Condition refine(const Unit &first, const Unit &second, const Chain &chain) final;

private:
  const Footprint &getFootprint(const Unit &unit, const Chain &chain);
  Footprint findFootprint(const Unit &unit);
  Footprint findLeftFootprint(const Unit &unit, const Chain &chain);
  const Boxes &getBoxes(const Unit &unit);
  FootprintAnalysis *getAnalysis();
  /// Returns the condition under which two units conflict, given when they are apart.
  Condition ask(Predicate areApart);
  Condition refineOwnWait(const Unit &wait, const Unit &other, const Chain &chain);
  Predicate compare(const Footprint &a, const Footprint &b);
  Predicate compareFootprints(const Unit &first, const Unit &second, const Chain &chain);
  Predicate compareBoxes(const Unit &first, const Unit &second);

  MemoryOracle &oracle;
  /// Created on first use.
  std::unique_ptr<FootprintAnalysis> analysis;
  bool isTried = false;
  /// The function of the latest query, and how many pairs were compared in it.
  mlir::Operation *function = nullptr;
  unsigned numPairs = 0;
  llvm::DenseMap<mlir::Operation *, Footprint> footprints;
  MemRefFootprints memrefs;
  llvm::DenseMap<mlir::Operation *, Boxes> boxes;
  /// Keyed by the printed predicate.
  llvm::StringMap<std::shared_ptr<const MemoryQuestion>> questions;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_MOTION_FOOTPRINTCONDITIONS_H
