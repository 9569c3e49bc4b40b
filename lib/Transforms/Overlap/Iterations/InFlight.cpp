//===- InFlight.cpp - What a loop after a wait must avoid -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InFlight.h"

#include "Motion/LeftWaits.h"
#include "Motion/StartedBuffers.h"

#include "Comm/Analysis/Order/Dependence.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace comm;

const Footprint &InFlight::getFootprint(unsigned unit) {
  auto [it, isNew] = footprints.try_emplace(unit);
  if (!isNew)
    return it->second;
  it->second = getFootprints()->getFootprint(chain.getUnits()[unit]);
  // The slots of waits that left a branch are private to Comm: a comparison would expose their addresses.
  llvm::SmallDenseSet<Value> slots;
  chain.getUnits()[unit].walk([&](Operation *op) {
    if (Value slot = getLeftSlot(op))
      slots.insert(slot);
  });
  llvm::erase_if(it->second.pieces, [&](const Piece &piece) { return slots.contains(piece.base.pointer); });
  return it->second;
}

bool InFlight::touchesUnknown(unsigned unit) {
  const Footprint &footprint = getFootprint(unit);
  return footprint.isUnknown || llvm::any_of(footprint.pieces, [](const Piece &piece) { return piece.isWhole; });
}

std::optional<SmallVector<Avoided>> InFlight::findAvoided(unsigned unit, llvm::function_ref<bool(Value)> isKnown,
                                                          RowTables &rows) {
  Footprint footprint = getFootprints()->getFootprint(chain.getUnits()[unit], &rows);
  if (footprint.isUnknown)
    return std::nullopt;
  byRows.push_back(std::move(footprint));
  return findAvoided(unit, byRows.back(), isKnown);
}

const Footprint &InFlight::getBuffers(Operation *start, unsigned home) {
  auto [it, isNew] = buffers.try_emplace(start);
  if (isNew)
    it->second = findBuffers(cast<MPIOpInterface>(start), getFootprint(home));
  return it->second;
}

/// Adds what a wait for requests in memory touches: its arguments, and the buffers of its starts (StartedBuffers.h).
void InFlight::addCompleted(Operation *wait, const CompletedStarts &completed, unsigned unit,
                            llvm::function_ref<bool(Value)> isKnown, SmallVectorImpl<Avoided> &avoided) {
  avoided.push_back({wait, nullptr, Arguments::All});
  for (const InFlightStart &start : completed.starts) {
    Operation *op = start.start;
    std::optional<unsigned> home = findHome(start, unit, chain);
    if (home && isSameAtWait(start, getBuffers(op, *home)))
      avoided.push_back({op, &getBuffers(op, *home), std::nullopt, isEntered(*home, isKnown)});
    else
      avoided.push_back({wait});
  }
}

Expr InFlight::isEntered(unsigned index, llvm::function_ref<bool(Value)> isKnown) const {
  Value condition = getEntry(chain.getUnits()[index]).first;
  return condition && isKnown(condition) ? comm::isEntered(chain.getUnits()[index]) : Expr(1);
}

SmallVector<Avoided> InFlight::findAvoided(unsigned index, const Footprint &footprint,
                                           llvm::function_ref<bool(Value)> isKnown) {
  const Unit &unit = chain.getUnits()[index];
  Expr entered = isEntered(index, isKnown);
  SmallVector<Avoided> avoided;
  unit.walk([&](Operation *op) {
    if (!oracle.getBehavior(op).touchesMemory())
      return;
    if (const CompletedStarts *completed = isWaitInMemory(op) ? oracle.getCompletedStarts(op) : nullptr) {
      addCompleted(op, *completed, index, isKnown, avoided);
    } else if (isStartInMemory(op)) {
      avoided.push_back({op, nullptr, Arguments::Requests});
      avoided.push_back({op, &getBuffers(op, index), std::nullopt, entered});
    } else {
      avoided.push_back({op, &footprint, std::nullopt, entered});
    }
  });
  return avoided;
}

void InFlight::noteHolders(unsigned index, SmallVectorImpl<Operation *> &holders) const {
  const Unit &unit = chain.getUnits()[index];
  auto completion = unit.isPiece() ? CompletionOpInterface() : dyn_cast<CompletionOpInterface>(unit.op);
  if (!completion || isWaitInMemory(unit.op)) {
    holders.push_back(unit.op);
    return;
  }
  for (Value request : completion.getRequests())
    if (Operation *start = request.getDefiningOp())
      holders.push_back(start);
}
