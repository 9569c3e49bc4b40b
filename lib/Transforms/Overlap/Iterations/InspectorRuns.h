//===- InspectorRuns.h - Runs of iterations that touch nothing --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRUNS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRUNS_H

#include "Iterations/Inspector.h"
#include "Iterations/InspectorEmitter.h"

namespace comm {

/// The state of an inspection, in variables: the iterations so far that touch nothing in flight, and from them the
/// interior. It is the longest run of them, all runs, or the first one (Inspection::hasRuns, keepsOrder).
class InspectorRuns : private InspectorEmitter {
public:
  InspectorRuns(const Inspection &inspection, const InspectorEmitter &code)
      : InspectorEmitter(code), inspection(inspection) {}

  void makeVariables();
  /// Makes so many iterations the last ones that are inspected. Those after them are not in the interior. They need no
  /// inspection to stay independent: an iteration of the interior passes only earlier ones.
  void setLimit(mlir::Value iterations) { limit = iterations; }

  /// The variable that says whether the current iteration touches something that it avoids.
  mlir::Value getIsTouched() const { return isTouched; }
  /// The variable that says whether any iteration touches what none may touch.
  mlir::Value getIsForbidden() const { return isForbidden; }

  /// Emits what precedes the first iteration. `place`: where the parts of the interior go.
  void begin(mlir::Value place);
  /// Emits what follows an iteration, in blocks before `fail`. If the inspection ends with it, control goes to
  /// `finish`.
  void endIteration(mlir::Block *finish, mlir::Block *fail);
  /// Returns the number of iterations that have been counted.
  mlir::Value getCounted() const { return load(number); }
  /// Emits what follows the last iteration, and returns whether the interior is worth two loops.
  mlir::Value end(mlir::Value counted, mlir::Block *before);
  /// Returns the number of iterations that have been inspected.
  mlir::Value getInspected(mlir::Value counted) const {
    return inspection.keepsOrder ? add(load(bestHigh), constant(1)) : counted;
  }
  /// Returns the low and the high end of the interior, and the number of its parts: `none` if there is no interior.
  llvm::SmallVector<mlir::Value> getInterior(mlir::Value isSome, mlir::Value none) const;

  /// Returns the memory for the parts of one result.
  mlir::Value getParts(mlir::Value place) const;

  /// Emits what precedes the first tile, and what begins each one.
  void beginTiles();
  void beginTile();
  /// Emits what ends a tile of a loop of so many iterations, in blocks before `fail`. `askGoesOn` emits the question
  /// whether there is time for another tile.
  void endTile(mlir::Value count, mlir::Block *fail, llvm::function_ref<mlir::Value(mlir::Value inspected)> askGoesOn);
  /// Makes the runs those that have been executed.
  void forgetTile();
  /// The variables of tiles.
  RunTiles getTiles() const;

private:
  void addRun(mlir::Value begin, mlir::Value end, mlir::Block *before);
  mlir::Value getPlaceOf(mlir::Value number) const;
  void endInOrder(mlir::Block *finish, mlir::Block *fail);
  void endRun(mlir::Block *fail);
  void keepLongest();
  void endAtLimit(mlir::Value inspected, mlir::Block *finish, mlir::Block *fail);

  const Inspection &inspection;
  mlir::Value number, isTouched, isForbidden, runBegin, bestLow, bestHigh, numRuns, total;
  /// Of tiles: RunTiles, and the iteration after the last one.
  mlir::Value numFound, numExecuted, executedEnd, goesOn, tileEnd;
  /// Memory for the parts of the interiors, and the part of it that the inspection fills.
  mlir::Value memory, parts;
  /// How many iterations are inspected at most. Null: all of them.
  mlir::Value limit;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORRUNS_H
