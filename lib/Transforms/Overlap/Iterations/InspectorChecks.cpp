//===- InspectorChecks.cpp - Compare addresses with ranges ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorChecks.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace comm;

Value InspectorChecks::meets(const TouchedBytes &bytes, ArrayRef<unsigned> which) const {
  Value start = address(bytes.pointer);
  Value first = bytes.begin ? add(start, constant(bytes.begin)) : start;
  return ranges.meets(first, add(start, constant(bytes.end)), which);
}

/// Ends the inspection without an interior if that is so. The builder continues in a new block.
void InspectorChecks::failIf(Value isHit, Block *fail) {
  Block *next = makeBlock(fail);
  branchIf(isHit, fail, next);
  builder.setInsertionPointToEnd(next);
}

/// Compares all that an inner loop goes through. What is in flight must not be loaded.
void InspectorChecks::checkSweep(const InspectedAccess &access, const Sweep &sweep, const AddressRange &swept,
                                 Value isSane, Block *fail) {
  const TouchedBytes &bytes = accesses.getTouched(access.op);
  Value begin = add(swept.low, constant(bytes.begin)), last = add(swept.high, constant(bytes.end - sweep.size));
  auto isHit = [&](ArrayRef<unsigned> which) {
    return select(isSane, ranges.meets(begin, last, getUnique(which)), truth(true));
  };
  if (slice.contains(access.op)) {
    if (!access.forbidden.empty())
      failIf(isHit(access.forbidden), fail);
    return;
  }
  if (!access.avoided.empty())
    note(runs.getIsTouched(), isHit(access.avoided));
  if (!access.forbidden.empty())
    note(runs.getIsForbidden(), isHit(access.forbidden));
}

/// Emits the checks of an access that are made before its inner loop. `access` is null for loads of the slice that
/// have nothing to avoid.
void InspectorChecks::enterSweep(const InspectedAccess *access, Operation *op, const InnerLoop &loop,
                                 const Sweep &sweep, Block *fail) {
  AddressRange swept;
  Value isSane;
  sweep.compute(builder, loc, loop, swept.low, swept.high, isSane);
  if (access)
    checkSweep(*access, sweep, swept, isSane, fail);
  if (slice.contains(op))
    results.noteLoad(op, select(isSane, swept.low, constant(0)), select(isSane, swept.high, constant(-1)));
}

/// Computes the indices before the whole loop if that is possible, and otherwise before the inner loop.
void InspectorChecks::prepareNarrow(const InspectedAccess &access, const NarrowAccess &narrow, bool isAhead) {
  Value base = narrow.base;
  if (isAhead == llvm::is_contained(inspection.unit.interior, base.getParentBlock()))
    return;
  auto prepare = [&](ArrayRef<unsigned> which, Value flag) {
    for (unsigned index : getUnique(which)) {
      Value isAny;
      NarrowAccess::Indices indices = narrow.compute(builder, loc, ranges[index].low, ranges[index].high,
                                                     accesses.getTouched(access.op).end, isAny);
      note(isAhead ? runs.getIsForbidden() : flag, isAny);
      narrowChecks[access.op].push_back({flag, narrow.index, indices});
    }
  };
  prepare(access.avoided, runs.getIsTouched());
  prepare(access.forbidden, runs.getIsForbidden());
}

void InspectorChecks::enterLoop() {
  for (const auto &[block, inner] : accesses.getInner())
    for (const auto &[access, narrow] : inner.narrow)
      prepareNarrow(*access, narrow, /*isAhead=*/true);
}

void InspectorChecks::enterInnerLoop(const InnerAccesses &inner, Block *fail) {
  for (const auto &[access, sweep] : inner.sweeps)
    enterSweep(access, access->op, inner.loop, sweep, fail);
  for (const auto &[op, sweep] : inner.loads)
    enterSweep(nullptr, op, inner.loop, sweep, fail);
  for (const auto &[access, narrow] : inner.narrow)
    prepareNarrow(*access, narrow, /*isAhead=*/false);
}

void InspectorChecks::check(Operation *op, Block *fail) {
  if (auto found = narrowChecks.find(op); found != narrowChecks.end()) {
    for (const NarrowCheck &narrow : found->second) {
      Value distance = sub(narrow.index, narrow.indices.first);
      note(narrow.flag, compare(LLVM::ICmpPredicate::ult, distance, narrow.indices.count));
    }
    return;
  }
  const InspectedAccess *access = accesses.isSwept(op) ? nullptr : accesses.getCompared(op);
  if (!access)
    return;
  const TouchedBytes &bytes = accesses.getTouched(op);
  // What the inspector loads is forbidden if it is avoided.
  if (!slice.contains(op) && !access->avoided.empty())
    note(runs.getIsTouched(), meets(bytes, getUnique(access->avoided)));
  if (access->forbidden.empty())
    return;
  Value isHit = meets(bytes, getUnique(access->forbidden));
  // Do not load what is in flight: it could lead anywhere.
  if (slice.contains(op))
    failIf(isHit, fail);
  else
    note(runs.getIsForbidden(), isHit);
}

void InspectorChecks::noteLoad(LLVM::LoadOp op) {
  if (accesses.isSwept(op))
    return;
  Value first = address(op.getAddr());
  int64_t size = DataLayout::closest(op).getTypeSize(op.getType()).getFixedValue();
  results.noteLoad(op, first, add(first, constant(size)));
}
