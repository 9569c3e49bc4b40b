//===- InspectorCode.cpp - The code of inspectors --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (0 < count)
//     if (a kept result is for the same numbers) low, high = result   // InspectorResults
//     else for (i < count)                       // only the address computation of the loop: InspectorCopy
//            for each address of iteration i: touched |= it is in a range                     // InspectorChecks
//          result = the longest part of [0, count) without a touched iteration                // InspectorRuns
//
//===----------------------------------------------------------------------===//

#include "Iterations/Inspector.h"
#include "Iterations/InspectorChecks.h"
#include "Iterations/InspectorCopy.h"
#include "Iterations/InspectorEmitter.h"
#include "Iterations/InspectorMeasurements.h"
#include "Iterations/InspectorRanges.h"
#include "Iterations/InspectorResults.h"
#include "Iterations/InspectorRuns.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

using namespace mlir;
using namespace comm;

namespace {
/// Generates one inspector.
class Emitter : public InspectorEmitter {
public:
  Emitter(const Inspection &inspection, ArrayRef<InspectorCode::Note> notes, OpBuilder &builder)
      : InspectorEmitter(builder, inspection.unit.op->getLoc()), inspection(inspection),
        ranges(inspection, notes, *this), runs(inspection, *this), results(inspection, ranges, *this) {}
  Operation *run(bool asks, InspectedInterior &interior);
  Operation *runTiles(const SplitBounds &bounds, InspectedInterior &interior);

private:
  FoundInterior inspect(Value place, Block *after);
  void inspectEachTime(Block *idle, Block *after);

  const Inspection &inspection;
  InspectorRanges ranges;
  InspectorRuns runs;
  InspectorResults results;
  std::optional<InspectorMeasurements> measurements;
};
} // namespace

/// Generates the inspection at the builder's position. Afterwards, the builder is at the end of a block that has its
/// result. `place`: where the parts of the interior go.
FoundInterior Emitter::inspect(Value place, Block *after) {
  Block *finish = makeBlock(after), *fail = makeBlock(after), *end = makeBlock(after);
  FoundInterior found{end->addArgument(i64, loc), end->addArgument(i64, loc), end->addArgument(i64, loc), place};
  runs.begin(place);
  // The first branch of the copy is that of the unit, which follows the generated code.
  InspectorChecks checks(inspection, ranges, runs, results, *this);
  InspectorCopy(inspection, checks, runs, finish, fail, *this).emit();

  builder.setInsertionPointToEnd(finish);
  Value counted = runs.getCounted(), none = constant(0);
  Value isSome = runs.end(counted, fail);
  if (measurements) {
    Value address = measurements->getAddress();
    isSome = both(isSome, measurements->askInspected(address, runs.getInspected(counted)));
  }
  branch(end, runs.getInterior(isSome, none));
  // A block without predecessors would count as an entry into a unit from outside.
  if (fail->hasNoPredecessors()) {
    fail->erase();
  } else {
    builder.setInsertionPointToEnd(fail);
    Value none = constant(0);
    branch(end, {none, none, none});
  }
  builder.setInsertionPointToEnd(end);
  return found;
}

/// Generates an inspection whose result is not kept, and leaves to `after`. It inspects as many iterations as the
/// program measures that it pays for. If there are none, control goes to `idle`.
void Emitter::inspectEachTime(Block *idle, Block *after) {
  ranges.compute();
  if (inspection.isMeasured) {
    measurements.emplace(inspection, *this);
    Block *chosen = makeBlock(after);
    // Threads share out the iterations of a part, so that all must be known to be independent.
    std::optional<int64_t> fewest;
    if (inspection.hasRuns || inspection.keepsOrder)
      fewest = std::max<int64_t>(inspection.leastIterations, 1);
    Value limit = measurements->askInspects(inspection.loop.count, fewest);
    runs.setLimit(limit);
    branchIf(compare(LLVM::ICmpPredicate::ne, limit, constant(0)), chosen, idle);
    builder.setInsertionPointToEnd(chosen);
  }
  leave(inspect(constant(0), after), after);
}

Operation *Emitter::run(bool asks, InspectedInterior &interior) {
  runs.makeVariables();
  if (inspection.around) {
    results.makeVariables();
    results.forgetWhereInputsChange();
  }
  Operation *entry = inspection.unit.op;
  Block *before = entry->getBlock(), *after = before->splitBlock(entry);
  interior.low = after->addArgument(i64, loc);
  interior.high = after->addArgument(i64, loc);
  Value numFound = after->addArgument(i64, loc), place = after->addArgument(i64, loc);
  Block *check = makeBlock(after), *idle = makeBlock(after);

  builder.setInsertionPointToEnd(before);
  // Do not look at so few indices each time.
  Expr least(inspection.around ? 1 : std::max<int64_t>(inspection.leastIterations, 1));
  Value mayRun = Predicate::lessOrEqual(least, inspection.loop.count).materialize(builder, loc);
  // Within a node the loop runs whole, whatever the result would be.
  if (asks)
    mayRun = both(mayRun, askRuntime(builder, loc, mpi::kAskSpansNodes));
  Operation *branch = LLVM::CondBrOp::create(builder, loc, mayRun, check, ValueRange(), idle, ValueRange());
  // Nothing compares what is received now, so invalidate the results.
  builder.setInsertionPointToEnd(idle);
  if (inspection.around)
    results.forget();
  leaveWithNone(after);

  builder.setInsertionPointToEnd(check);
  if (inspection.around)
    results.inspectUnlessKept(ranges.compute(), after, [&](Value place) { return inspect(place, after); });
  else
    inspectEachTime(idle, after);
  if (measurements)
    interior.measurements = measurements->getSymbol();
  builder.setInsertionPoint(entry);
  if (inspection.hasRuns)
    interior.runs = RunList{runs.getParts(place), numFound, std::nullopt};
  return branch;
}

SmallVector<InspectorCode::Note> InspectorCode::getNotes(const Inspection &inspection) {
  SmallVector<Note> recorded;
  for (const InspectedRange &range : inspection.ranges)
    recorded.push_back(range.start ? getNote(range) : Note());
  return recorded;
}

/// Generates an inspection in tiles:
///
///   while (there is time) { inspect a tile; execute it, except for what must wait }
Operation *Emitter::runTiles(const SplitBounds &bounds, InspectedInterior &interior) {
  runs.makeVariables();
  RunTiles tiles = runs.getTiles();
  Operation *entry = inspection.unit.op;
  Block *before = entry->getBlock(), *after = before->splitBlock(entry);
  Block *check = makeBlock(after), *chosen = makeBlock(after), *tile = makeBlock(after), *finish = makeBlock(after),
        *fail = makeBlock(after), *none = makeBlock(after);

  builder.setInsertionPointToEnd(before);
  interior.runs = RunList{runs.getParts(constant(0)), Value(), std::nullopt};
  store(constant(0), tiles.numExecuted);
  const Part &all = bounds.interior.front();
  Value mayRun = compare(LLVM::ICmpPredicate::ult, all.begin, all.end);
  Operation *branchIn = LLVM::CondBrOp::create(builder, loc, mayRun, check, ValueRange(), none, ValueRange());
  builder.setInsertionPointToEnd(none);
  LLVM::UnreachableOp::create(builder, loc); // until the loops are split

  builder.setInsertionPointToEnd(check);
  ranges.compute();
  measurements.emplace(inspection, *this);
  branchIf(measurements->askInspectsTiles(), chosen, none);

  builder.setInsertionPointToEnd(chosen);
  store(constant(0), tiles.executedEnd);
  runs.beginTiles();
  InspectorChecks checks(inspection, ranges, runs, results, *this);
  InspectorCopy(inspection, checks, runs, finish, fail, *this).emit(tile);
  builder.setInsertionPointToEnd(finish);
  runs.endTile(bounds.counts.front(), fail, [&](Value inspected) { return measurements->askGoesOn(inspected); });
  branch(after);
  builder.setInsertionPointToEnd(fail);
  runs.forgetTile();
  branch(none);

  builder.setInsertionPoint(entry);
  tiles.next = tile;
  tiles.leave = none;
  interior.measurements = measurements->getSymbol();
  interior.runs->tiles = tiles;
  return branchIn;
}

Operation *InspectorCode::emit(const Inspection &inspection, bool asks, InspectedInterior &interior) {
  SmallVector<Note> recorded = getNotes(inspection);
  OpBuilder builder(inspection.unit.op);
  return Emitter(inspection, recorded, builder).run(asks, interior);
}

Operation *InspectorCode::emitTiles(const Inspection &inspection, const SplitBounds &bounds,
                                    InspectedInterior &interior) {
  SmallVector<Note> recorded = getNotes(inspection);
  OpBuilder builder(inspection.unit.op);
  return Emitter(inspection, recorded, builder).runTiles(bounds, interior);
}
