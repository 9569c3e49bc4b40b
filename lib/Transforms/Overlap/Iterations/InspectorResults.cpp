//===- InspectorResults.cpp - Results that inspectors keep ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorResults.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// Stop inspecting after this many misses in a row: inspections would cost as much as they save.
static constexpr int64_t kMostMisses = 4;

InspectorResults::Kept InspectorResults::makeKept(unsigned numKeys) {
  auto make = [&](Type type) { return makeVariable(inspection.unit.op, type); };
  FoundInterior found{make(i64), make(i64), make(i64), make(i64)};
  Kept kept{make(i1), found, {}, {}};
  for (unsigned i = 0; i < numKeys; ++i)
    kept.keys.push_back(make(i64));
  for (unsigned i = 0; i < slice.getLoads().size(); ++i)
    kept.loads.push_back({make(i64), make(i64)});
  return kept;
}

void InspectorResults::makeVariables() {
  misses = makeVariable(inspection.unit.op, i64);
  unsigned numKeys = inspection.keys.size() + 2 * inspection.ranges.size();
  latest = makeKept(numKeys);
  former = makeKept(numKeys);
}

//===----------------------------------------------------------------------===//
// Validity
//===----------------------------------------------------------------------===//

void InspectorResults::forget() {
  Value no = truth(false);
  store(no, latest.isThere);
  store(no, former.isThere);
}

void InspectorResults::forgetWhereInputsChange() {
  OpBuilder::InsertionGuard guard(builder);
  DominanceInfo dominance(inspection.unit.op->getParentOfType<FunctionOpInterface>());
  for (Block *before : inspection.around->getPredecessors())
    if (!dominance.dominates(inspection.around, before)) {
      builder.setInsertionPoint(before->getTerminator());
      forget();
      store(constant(0), misses);
      store(constant(0), latest.found.place);
      store(constant(1), former.found.place);
    }
  // Before a call, which may not return here: nothing uses the result while it runs.
  for (Operation *op : inspection.forgetting) {
    builder.setInsertionPoint(op);
    forget();
  }
}

AddressRange InspectorResults::getKeptRange(const Kept &kept, unsigned range) const {
  size_t first = inspection.keys.size() + 2 * range;
  return {load(kept.keys[first]), load(kept.keys[first + 1])};
}

/// Returns whether all inputs of the result are disjoint from the range. (A result without an interior is always valid,
/// so it does not matter what a failed inspection has not read.)
Value InspectorResults::readsNothingOf(const Kept &kept, const AddressRange &range) const {
  Value result = compare(LLVM::ICmpPredicate::ugt, range.low, range.high); // empty
  Value isApart = truth(true);
  for (const AddressRange &read : kept.loads) {
    Value isBefore = compare(LLVM::ICmpPredicate::ule, load(read.high), range.low);
    isApart = both(isApart, either(isBefore, compare(LLVM::ICmpPredicate::ule, range.high, load(read.low))));
  }
  return either(result, isApart);
}

/// Invalidates results at starts of messages that they do not cover and that overlap their inputs: an exception may
/// bypass the comparison of all numbers.
void InspectorResults::forgetAtStarts() {
  OpBuilder::InsertionGuard guard(builder);
  for (auto [index, range] : llvm::enumerate(inspection.ranges)) {
    if (!range.start)
      continue;
    builder.setInsertionPoint(range.start);
    AddressRange message = ranges.getRecorded(index);
    for (const Kept *kept : {&latest, &former}) {
      AddressRange known = getKeptRange(*kept, index);
      Value isIn = both(compare(LLVM::ICmpPredicate::uge, message.low, known.low),
                        compare(LLVM::ICmpPredicate::ule, message.high, known.high));
      store(both(load(kept->isThere, i1), either(isIn, readsNothingOf(*kept, message))), kept->isThere);
    }
  }
}

/// Returns whether the result belongs to these numbers.
Value InspectorResults::isOfNow(const Kept &kept, ArrayRef<Value> keys) const {
  Value isSame = load(kept.isThere, i1);
  for (auto [variable, key] : llvm::zip_equal(kept.keys, keys))
    isSame = both(isSame, compare(LLVM::ICmpPredicate::eq, load(variable), key));
  return isSame;
}

/// Returns whether the inputs of one result are disjoint from all ranges of the other, so that what the loop writes
/// then does not change them.
Value InspectorResults::isApartFrom(const Kept &reader, const Kept &other) const {
  Value result = truth(true);
  for (unsigned index = 0; index < inspection.ranges.size(); ++index)
    result = both(result, readsNothingOf(reader, getKeptRange(other, index)));
  return result;
}

void InspectorResults::noteLoad(Operation *op, Value first, Value end) {
  const auto *found = llvm::find(slice.getLoads(), op);
  if (!inspection.around || found == slice.getLoads().end())
    return;
  const AddressRange &read = latest.loads[found - slice.getLoads().begin()];
  store(LLVM::UMinOp::create(builder, loc, load(read.low), first), read.low);
  store(LLVM::UMaxOp::create(builder, loc, load(read.high), end), read.high);
}

//===----------------------------------------------------------------------===//
// Kept or new
//===----------------------------------------------------------------------===//

void InspectorResults::exchangeResults() {
  auto exchange = [&](Value a, Value b, Type type) {
    Value ofA = load(a, type), ofB = load(b, type);
    store(ofA, b);
    store(ofB, a);
  };
  exchange(latest.isThere, former.isThere, i1);
  exchange(latest.found.low, former.found.low, i64);
  exchange(latest.found.high, former.found.high, i64);
  exchange(latest.found.numRuns, former.found.numRuns, i64);
  exchange(latest.found.place, former.found.place, i64);
  for (auto [a, b] : llvm::zip_equal(latest.keys, former.keys))
    exchange(a, b, i64);
  for (auto [a, b] : llvm::zip_equal(latest.loads, former.loads)) {
    exchange(a.low, b.low, i64);
    exchange(a.high, b.high, i64);
  }
}

/// Leaves without an interior, as do all later executions until control enters the loop that keeps results again.
void InspectorResults::giveUp(Block *after) {
  forget();
  store(constant(kMostMisses), misses);
  leaveWithNone(after);
}

/// Keeps a new result as the latest one, and the former one if both are valid together.
void InspectorResults::replaceLatest(ArrayRef<Value> keys, const FoundInterior &found) {
  for (auto [variable, key] : llvm::zip_equal(latest.keys, keys))
    store(key, variable);
  store(found.low, latest.found.low);
  store(found.high, latest.found.high);
  store(found.numRuns, latest.found.numRuns);
  store(truth(true), latest.isThere);
  Value areApart = both(isApartFrom(latest, former), isApartFrom(former, latest));
  store(both(load(former.isThere, i1), areApart), former.isThere);
}

void InspectorResults::inspectUnlessKept(ArrayRef<Value> keys, Block *after,
                                         function_ref<FoundInterior(Value place)> inspect) {
  Block *other = makeBlock(after), *hit = makeBlock(after), *miss = makeBlock(after), *give = makeBlock(after),
        *again = makeBlock(after);
  forgetAtStarts();
  branchIf(isOfNow(latest, keys), hit, other);
  builder.setInsertionPointToEnd(other);
  exchangeResults();
  branchIf(isOfNow(latest, keys), hit, miss);
  builder.setInsertionPointToEnd(hit);
  store(constant(0), misses);
  leave(loadFound(latest.found), after);

  builder.setInsertionPointToEnd(miss);
  Value count = add(load(misses), constant(1));
  store(count, misses);
  branchIf(compare(LLVM::ICmpPredicate::ugt, count, constant(kMostMisses)), give, again);
  builder.setInsertionPointToEnd(give);
  giveUp(after);

  builder.setInsertionPointToEnd(again);
  store(truth(false), latest.isThere);
  for (const AddressRange &read : latest.loads) {
    store(constant(-1), read.low);
    store(constant(0), read.high);
  }
  FoundInterior found = inspect(load(latest.found.place));
  replaceLatest(keys, found);
  leave(found, after);
}
