//===- InspectorRuns.cpp - Runs of iterations that touch nothing ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorRuns.h"

using namespace mlir;
using namespace comm;

/// An interior below this fraction of the iterations is not worth two loops.
static constexpr int64_t kLeastPart = 8;
/// How many parts an interior may have. More would take more of the stack.
static constexpr int64_t kMostRuns = 2048;
/// Iterations of a tile. Their indices should fit into the cache next to the processor.
static constexpr int64_t kTile = 256;

void InspectorRuns::makeVariables() {
  for (Value *variable : {&number, &runBegin, &bestLow, &bestHigh, &numRuns, &total})
    *variable = makeVariable(inspection.unit.op, i64);
  int64_t results = inspection.around ? 2 : 1;
  if (inspection.hasRuns)
    memory = makeVariable(inspection.unit.op, LLVM::LLVMArrayType::get(builder.getI32Type(), results * 2 * kMostRuns));
  for (Value *variable : {&isTouched, &isForbidden})
    *variable = makeVariable(inspection.unit.op, i1);
  if (!inspection.hasTiles)
    return;
  for (Value *variable : {&numFound, &numExecuted, &executedEnd, &tileEnd})
    *variable = makeVariable(inspection.unit.op, i64);
  goesOn = makeVariable(inspection.unit.op, i1);
}

Value InspectorRuns::getParts(Value place) const {
  Value distance = mul(place, 2 * kMostRuns);
  return LLVM::GEPOp::create(builder, loc, memory.getType(), builder.getI32Type(), memory,
                             ArrayRef<LLVM::GEPArg>{distance});
}

void InspectorRuns::begin(Value place) {
  if (inspection.hasRuns)
    parts = getParts(place);
  for (Value variable : {number, runBegin, bestLow, bestHigh, numRuns, total})
    store(constant(0), variable);
  for (Value variable : {isTouched, isForbidden})
    store(truth(false), variable);
}

/// Returns the place of a number in the list of runs.
Value InspectorRuns::getPlaceOf(Value number) const {
  return LLVM::GEPOp::create(builder, loc, parts.getType(), builder.getI32Type(), parts,
                             ArrayRef<LLVM::GEPArg>{number});
}

/// Adds the iterations [begin, end) to the interior, if they are enough, in blocks before `before`. In tiles, they may
/// continue the last run.
void InspectorRuns::addRun(Value begin, Value end, Block *before) {
  Value length = sub(end, begin), known = load(numRuns);
  Value isNew = compare(LLVM::ICmpPredicate::sge, length, constant(std::max<int64_t>(inspection.leastOfRun, 1)));
  isNew = both(isNew, compare(LLVM::ICmpPredicate::ult, known, constant(kMostRuns)));
  Value isFirst = compare(LLVM::ICmpPredicate::eq, known, constant(0)), isNext, isKept = isNew;
  if (inspection.hasTiles) {
    isNext = both(compare(LLVM::ICmpPredicate::eq, load(bestHigh), begin),
                  compare(LLVM::ICmpPredicate::ne, known, constant(0)));
    isNext = both(isNext, compare(LLVM::ICmpPredicate::sgt, length, constant(0)));
    isKept = either(isNew, isNext);
  }
  isKept = both(isKept, compare(LLVM::ICmpPredicate::ule, end, constant(std::numeric_limits<int32_t>::max())));
  Block *keep = makeBlock(before), *goOn = makeBlock(before);
  branchIf(isKept, keep, goOn);
  builder.setInsertionPointToEnd(keep);
  auto write = [&](Value value, Value index) {
    store(LLVM::TruncOp::create(builder, loc, builder.getI32Type(), value), getPlaceOf(index));
  };
  Value index = add(known, known), more = constant(1);
  if (inspection.hasTiles) {
    more = select(isNext, constant(0), more);
    Block *start = makeBlock(goOn), *extend = makeBlock(goOn);
    branchIf(isNext, extend, start);
    builder.setInsertionPointToEnd(start);
    write(begin, index);
    branch(extend);
    builder.setInsertionPointToEnd(extend);
    index = select(isNext, sub(index, constant(2)), index);
  } else {
    write(begin, index);
  }
  write(end, add(index, constant(1)));
  store(add(known, more), numRuns);
  store(add(load(total), length), total);
  store(select(isFirst, begin, load(bestLow)), bestLow);
  store(end, bestHigh);
  store(end, runBegin);
  branch(goOn);
  builder.setInsertionPointToEnd(goOn);
}

/// The first iteration that touches something ends the inspection: iterations keep their order.
void InspectorRuns::endInOrder(Block *finish, Block *fail) {
  Block *goOn = makeBlock(fail);
  branchIf(load(isTouched, i1), finish, goOn);
  builder.setInsertionPointToEnd(goOn);
  store(add(load(bestHigh), constant(1)), bestHigh);
}

/// An iteration that touches something ends a run.
void InspectorRuns::endRun(Block *fail) {
  Value now = load(number), next = add(now, constant(1)), touched = load(isTouched, i1), begin = load(runBegin);
  Block *close = makeBlock(fail), *goOn = makeBlock(fail);
  branchIf(touched, close, goOn);
  builder.setInsertionPointToEnd(close);
  addRun(begin, now, goOn);
  store(next, runBegin);
  store(truth(false), isTouched);
  branch(goOn);
  builder.setInsertionPointToEnd(goOn);
  store(next, number);
}

/// Updates the longest run.
void InspectorRuns::keepLongest() {
  Value now = load(number), next = add(now, constant(1)), touched = load(isTouched, i1), begin = load(runBegin);
  Value low = load(bestLow), high = load(bestHigh);
  begin = select(touched, next, begin);
  Value length = sub(next, begin), best = sub(high, low);
  Value isBetter = compare(LLVM::ICmpPredicate::ugt, length, best);
  store(select(isBetter, begin, low), bestLow);
  store(select(isBetter, next, high), bestHigh);
  store(begin, runBegin);
  store(next, number);
  store(truth(false), isTouched);
}

void InspectorRuns::endAtLimit(Value inspected, Block *finish, Block *fail) {
  Block *goOn = makeBlock(fail);
  Value end = inspection.hasTiles ? load(limit) : limit;
  branchIf(compare(LLVM::ICmpPredicate::uge, inspected, end), finish, goOn);
  builder.setInsertionPointToEnd(goOn);
}

void InspectorRuns::endIteration(Block *finish, Block *fail) {
  if (inspection.keepsOrder)
    endInOrder(finish, fail);
  else if (inspection.hasRuns)
    endRun(fail);
  else
    keepLongest();
  if (limit)
    endAtLimit(load(inspection.keepsOrder ? bestHigh : number), finish, fail);
}

Value InspectorRuns::end(Value counted, Block *before) {
  if (inspection.hasRuns) {
    // The last run.
    Value last = counted;
    if (inspection.keepsLast)
      last = sub(last, constant(1));
    addRun(load(runBegin), last, before);
  } else {
    store(sub(load(bestHigh), load(bestLow)), total);
  }
  // If the iterations keep their order, none of the others has been counted.
  Value length = load(total), least = LLVM::UDivOp::create(builder, loc, counted, constant(kLeastPart));
  Value isSome = compare(LLVM::ICmpPredicate::ugt, length, least);
  if (inspection.hasRuns)
    isSome = both(isSome, compare(LLVM::ICmpPredicate::uge, length, constant(inspection.leastIterations)));
  return select(load(isForbidden, i1), truth(false), isSome);
}

void InspectorRuns::beginTiles() {
  begin(constant(0));
  setLimit(tileEnd);
}

void InspectorRuns::beginTile() { store(add(load(number), constant(kTile)), tileEnd); }

void InspectorRuns::endTile(Value count, Block *fail, llvm::function_ref<Value(Value)> askGoesOn) {
  Value inspected = load(number), end = inspected;
  if (inspection.keepsLast)
    end = sub(end, constant(1));
  // If these are too few, the run goes on in the next tile.
  addRun(load(runBegin), end, fail);
  Block *goOn = makeBlock(fail);
  branchIf(load(isForbidden, i1), fail, goOn);
  builder.setInsertionPointToEnd(goOn);
  Value runs = load(numRuns), isMore = compare(LLVM::ICmpPredicate::ult, inspected, count);
  isMore = both(isMore, compare(LLVM::ICmpPredicate::ult, runs, constant(kMostRuns)));
  store(runs, numFound);
  store(both(isMore, askGoesOn(inspected)), goesOn);
}

void InspectorRuns::forgetTile() {
  // A run that was executed may have become longer.
  Value executed = load(numExecuted), isNone = compare(LLVM::ICmpPredicate::eq, executed, constant(0));
  Value last = select(isNone, constant(0), sub(add(executed, executed), constant(1)));
  store(LLVM::TruncOp::create(builder, loc, builder.getI32Type(), load(executedEnd)), getPlaceOf(last));
}

RunTiles InspectorRuns::getTiles() const {
  RunTiles tiles;
  tiles.numFound = numFound;
  tiles.foundEnd = bestHigh;
  tiles.numExecuted = numExecuted;
  tiles.executedEnd = executedEnd;
  tiles.goesOn = goesOn;
  return tiles;
}

SmallVector<Value> InspectorRuns::getInterior(Value isSome, Value none) const {
  SmallVector<Value> results;
  for (Value variable : {bestLow, bestHigh, numRuns})
    results.push_back(select(isSome, load(variable), none));
  return results;
}
