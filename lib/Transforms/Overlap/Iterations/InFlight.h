//===- InFlight.h - What a loop after a wait must avoid ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INFLIGHT_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INFLIGHT_H

#include "Iterations/LoopLegality.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"

#include <deque>
#include <map>
#include <optional>

namespace comm {

/// Finds the operations and bytes of one chain's units that a loop after them must avoid. A wait for requests in memory
/// touches what its starts touch, each at the place of the start.
class InFlight {
public:
  InFlight(const Chain &chain, MemoryOracle &oracle, llvm::function_ref<FootprintAnalysis *()> getFootprints)
      : chain(chain), oracle(oracle), getFootprints(getFootprints) {}

  /// Returns what a loop must avoid to touch nothing of the unit. `isKnown` tells whether the bounds of the loop may
  /// depend on a value.
  llvm::SmallVector<Avoided> findAvoided(unsigned unit, llvm::function_ref<bool(mlir::Value)> isKnown) {
    return findAvoided(unit, getFootprint(unit), isKnown);
  }
  /// The same for a unit that looks up its pointers. Returns none if `rows` do not tell where they lead.
  std::optional<llvm::SmallVector<Avoided>> findAvoided(unsigned unit, llvm::function_ref<bool(mlir::Value)> isKnown,
                                                        RowTables &rows);
  /// Whether the unit looks up pointers or may touch anything for other reasons.
  bool touchesUnknown(unsigned unit);
  /// Returns comm::isEntered of a branch with one arm if the bounds of the loop may depend on its condition,
  /// otherwise 1.
  Expr isEntered(unsigned unit, llvm::function_ref<bool(mlir::Value)> isKnown) const;
  /// Records that the unit is a loop to be split, of which `rest` is what runs after the wait.
  void keepRest(unsigned unit, Footprint rest) { rests[unit] = std::move(rest); }
  /// Returns what a loop must avoid to touch nothing of the unit's rest, or none if the unit is not split.
  std::optional<llvm::SmallVector<Avoided>> findRest(unsigned unit, llvm::function_ref<bool(mlir::Value)> isKnown) {
    auto rest = rests.find(unit);
    return rest == rests.end() ? std::nullopt : std::optional(findAvoided(unit, rest->second, isKnown));
  }
  /// Adds the operations that stand for the unit in attributes: the start for a wait whose request is a value,
  /// otherwise the unit itself.
  void noteHolders(unsigned unit, llvm::SmallVectorImpl<mlir::Operation *> &holders) const;

private:
  const Footprint &getFootprint(unsigned unit);
  llvm::SmallVector<Avoided> findAvoided(unsigned unit, const Footprint &footprint,
                                         llvm::function_ref<bool(mlir::Value)> isKnown);
  void addCompleted(mlir::Operation *wait, const CompletedStarts &completed, unsigned unit,
                    llvm::function_ref<bool(mlir::Value)> isKnown, llvm::SmallVectorImpl<Avoided> &avoided);

  const Footprint &getBuffers(mlir::Operation *start, unsigned home);

  const Chain &chain;
  MemoryOracle &oracle;
  llvm::function_ref<FootprintAnalysis *()> getFootprints;
  std::map<unsigned, Footprint> footprints, rests;
  /// Footprints in terms of the rows of one loop.
  std::deque<Footprint> byRows;
  /// The footprints of starts, without their requests.
  std::map<mlir::Operation *, Footprint> buffers;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INFLIGHT_H
