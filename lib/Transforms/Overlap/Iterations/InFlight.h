//===- InFlight.h - What a loop after a wait has to keep off -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INFLIGHT_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INFLIGHT_H

#include "Iterations/LoopLegality.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"

#include <map>
#include <optional>

namespace comm {

/// The operations of one chain's units, and the bytes that they touch, as a loop after them sees them. A wait for
/// requests in memory touches what its starts do, each where it is started.
class InFlight {
public:
  InFlight(const Chain &chain, MemoryOracle &oracle, llvm::function_ref<FootprintAnalysis *()> getFootprints)
      : chain(chain), oracle(oracle), getFootprints(getFootprints) {}

  /// What a loop keeps off that touches nothing of the unit. `isKnown`: whether the bounds of the loop may depend on a
  /// value.
  llvm::SmallVector<Avoided> findAvoided(unsigned unit, llvm::function_ref<bool(mlir::Value)> isKnown) {
    return findAvoided(unit, getFootprint(unit), isKnown);
  }
  /// The unit is a loop that is to be split: what it touches after the wait is that.
  void keepRest(unsigned unit, Footprint rest) { rests[unit] = std::move(rest); }
  /// What a loop keeps off that touches nothing of what the unit touches after the wait; none for units that do all of
  /// it then.
  std::optional<llvm::SmallVector<Avoided>> findRest(unsigned unit, llvm::function_ref<bool(mlir::Value)> isKnown) {
    auto rest = rests.find(unit);
    return rest == rests.end() ? std::nullopt : std::optional(findAvoided(unit, rest->second, isKnown));
  }
  /// What stands for the unit in the attributes that name it: starts for the waits that have their requests as values,
  /// the unit itself for all else.
  void noteHolders(unsigned unit, llvm::SmallVectorImpl<mlir::Operation *> &holders) const;

private:
  const Footprint &getFootprint(unsigned unit);
  llvm::SmallVector<Avoided> findAvoided(unsigned unit, const Footprint &footprint,
                                         llvm::function_ref<bool(mlir::Value)> isKnown);
  void addCompleted(mlir::Operation *wait, const CompletedStarts &completed, unsigned unit,
                    llvm::function_ref<bool(mlir::Value)> isKnown, llvm::SmallVectorImpl<Avoided> &avoided);
  Expr isEntered(unsigned unit, llvm::function_ref<bool(mlir::Value)> isKnown) const;

  const Footprint &getBuffers(mlir::Operation *start, unsigned home);

  const Chain &chain;
  MemoryOracle &oracle;
  llvm::function_ref<FootprintAnalysis *()> getFootprints;
  std::map<unsigned, Footprint> footprints, rests;
  /// Of starts, without their requests.
  std::map<mlir::Operation *, Footprint> buffers;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INFLIGHT_H
