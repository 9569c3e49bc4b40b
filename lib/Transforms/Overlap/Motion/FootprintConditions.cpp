//===- FootprintConditions.cpp - When units touch the same bytes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/FootprintConditions.h"

#include "Motion/LeftWaits.h"
#include "Motion/StartedBuffers.h"

#include "Comm/Analysis/Footprints/Interior.h"
#include "Comm/Analysis/Footprints/SizeLimiter.h"
#include "Comm/Dialect/Comm/Utils/CommQueries.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace comm;

/// Larger comparisons cost more, at compile time or at run time, than they are likely to be worth.
static constexpr unsigned mostPieces = 24, mostComparisons = 16;
/// Datatypes that are known only at run time leave all comparisons to run time, so more of them are allowed.
static constexpr unsigned mostComparisonsOfAsked = 48;
/// Limit on the pairs of pieces compared in one function. Beyond it, units that may touch one object count as
/// dependent.
static constexpr unsigned mostPairs = 4000;

namespace {
/// Asks whether the bytes of two footprints overlap.
class FootprintQuestion : public MemoryQuestion {
public:
  explicit FootprintQuestion(Predicate areApart) : areApart(std::move(areApart)) {}
  void forEachOperand(llvm::function_ref<void(Value)> fn) const final { areApart.forEachSymbol(fn); }
  Value materialize(OpBuilder &builder, Location loc) const final {
    Value apart = areApart.materialize(builder, loc);
    Value yes = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(true));
    return LLVM::XOrOp::create(builder, loc, apart, yes);
  }
  bool isUnlikely() const final { return holdsTypically(areApart); }

private:
  Predicate areApart;
};
} // namespace

/// Returns true if the pieces include the bytes of the wait's status, if it has one.
static bool isStatusKnown(MPIOpInterface wait, const Footprint &footprint) {
  Value status = wait.getParam("status");
  return !status || !getConstantName(status).empty() || llvm::any_of(footprint.pieces, [&](const Piece &piece) {
    return piece.op == wait && piece.base.pointer != getLeftSlot(wait);
  });
}

/// Returns what the unit touches, except for requests whose waits left a branch, since no other code knows their
/// addresses. An early wait for such a request touches what its start touches, if the unit contains the start.
Footprint FootprintConditions::findFootprint(const Unit &unit) {
  Footprint result = analysis->getFootprint(unit);
  llvm::SmallDenseSet<Value> slots;
  unit.walk([&](Operation *op) {
    Value slot = getLeftSlot(op);
    if (!slot)
      return;
    slots.insert(slot);
    const CompletedStarts *completed = isLeft(op) ? oracle.getCompletedStarts(op) : nullptr;
    bool isHere = completed && llvm::all_of(completed->starts, [&](const InFlightStart &start) {
                    return llvm::is_contained(unit.interior, start.start->getBlock());
                  });
    if (isHere && isStatusKnown(cast<MPIOpInterface>(op), result))
      result.unknownOps.erase(op);
  });
  if (slots.empty())
    return result;
  result.isUnknown = !result.unknownOps.empty();
  llvm::erase_if(result.pieces, [&](const Piece &piece) { return slots.contains(piece.base.pointer); });
  return result;
}

/// Returns what a wait that left a branch touches: its status, and what its start touches at the place of the start.
Footprint FootprintConditions::findLeftFootprint(const Unit &unit, const Chain &chain) {
  auto wait = cast<MPIOpInterface>(unit.op);
  Footprint result = findFootprint(unit);
  const CompletedStarts *completed = oracle.getCompletedStarts(wait);
  Operation *start = completed && completed->starts.size() == 1 ? completed->starts.front().start : nullptr;
  int home = start ? chain.findUnit(start) : -1;
  if (home < 0 || !isStatusKnown(wait, result))
    return result;
  Footprint branch = findFootprint(chain.getUnits()[home]);
  if (branch.unknownOps.contains(start))
    return result;
  result.isUnknown = false;
  result.unknownOps.clear();
  for (const Piece &piece : branch.pieces)
    if (piece.op == start)
      result.pieces.push_back(piece);
  return result;
}

const Footprint &FootprintConditions::getFootprint(const Unit &unit, const Chain &chain) {
  auto [it, isNew] = footprints.try_emplace(unit.op);
  if (isNew)
    it->second = !unit.isPiece() && isLeft(unit.op) ? findLeftFootprint(unit, chain) : findFootprint(unit);
  return it->second;
}

const Boxes &FootprintConditions::getBoxes(const Unit &unit) {
  auto [it, isNew] = boxes.try_emplace(unit.op);
  if (isNew)
    it->second = memrefs.getBoxes(unit);
  return it->second;
}

/// Returns true if a message has a datatype that is known only at run time.
static bool hasAsked(const Footprint &footprint) {
  return llvm::any_of(footprint.pieces, [](const Piece &piece) { return getAskedLayout(piece).has_value(); });
}

/// Identifies global variables by their addresses. A message of an unknown datatype may have any type, so the program
/// has to check whether its buffer is one of these variables.
static Footprint nameByAddress(Footprint footprint) {
  for (Piece &piece : footprint.pieces) {
    auto load = dyn_cast_or_null<LLVM::LoadOp>(piece.op);
    auto address = load && piece.base.global ? getBasePointer(load.getAddr()).getDefiningOp<LLVM::AddressOfOp>()
                                             : LLVM::AddressOfOp();
    if (address && address.getGlobalName() == piece.base.global.getValue())
      piece.base = {address.getResult(), StringAttr()};
  }
  return footprint;
}

FootprintAnalysis *FootprintConditions::getAnalysis() {
  if (!isTried)
    analysis = FootprintAnalysis::create(oracle);
  isTried = true;
  return analysis.get();
}

/// Returns the condition under which the pieces of two footprints are apart, for functions of the llvm dialect.
Predicate FootprintConditions::compare(const Footprint &a, const Footprint &b) {
  if (a.isUnknown || b.isUnknown || a.pieces.size() > mostPieces || b.pieces.size() > mostPieces)
    return Predicate::never();
  numPairs += a.pieces.size() * b.pieces.size();
  // Pieces with the same first byte overlap unless one is empty, which is not worth asking.
  for (const Piece &x : a.pieces)
    for (const Piece &y : b.pieces)
      if ((x.writes || y.writes) && x.base == y.base && !x.isWhole && !y.isWhole && x.begin == y.begin)
        return Predicate::never();
  if (hasAsked(a) || hasAsked(b))
    return areIndependent(nameByAddress(a), nameByAddress(b), areDifferentObjects);
  return areIndependent(a, b, areDifferentObjects);
}

Predicate FootprintConditions::compareFootprints(const Unit &first, const Unit &second, const Chain &chain) {
  if (!getAnalysis())
    return Predicate::never();
  getFootprint(second, chain); // the map may grow
  return compare(getFootprint(first, chain), footprints.find(second.op)->second);
}

/// Compares units of functions in other dialects.
Predicate FootprintConditions::compareBoxes(const Unit &first, const Unit &second) {
  getBoxes(second); // the map may grow
  const Boxes &a = getBoxes(first), &b = boxes.find(second.op)->second;
  if (a.isUnknown || b.isUnknown || a.boxes.size() > mostPieces || b.boxes.size() > mostPieces)
    return Predicate::never();
  numPairs += a.boxes.size() * b.boxes.size();
  return memrefs.areIndependent(a, b);
}

Condition FootprintConditions::ask(Predicate areApart) {
  if (areApart.isTrue())
    return Condition::never();
  bool isAsked = false;
  areApart.forEachSymbol([&](Value value) { isAsked |= isAskedLength(value); });
  if (areApart.isFalse() || areApart.getSize() > (isAsked ? mostComparisonsOfAsked : mostComparisons))
    return Condition::always();
  if (!areApart.isMaterializable())
    areApart = limitSizes(areApart);
  if (!areApart.isMaterializable())
    return Condition::always();
  // A start and its wait touch the same bytes: share one question.
  std::string text;
  llvm::raw_string_ostream os(text);
  areApart.print(os,
                 [](Value value) { return llvm::utohexstr(reinterpret_cast<uintptr_t>(value.getAsOpaquePointer())); });
  std::shared_ptr<const MemoryQuestion> &question = questions[text];
  if (!question)
    question = std::make_shared<FootprintQuestion>(areApart);
  return Condition::ask({Question::Kind::Memory, {}, {}, question});
}

/// Returns the operation of a unit that waits for requests in memory whose starts are known, or null for other units.
static MPIOpInterface getOwnWait(const Unit &unit) {
  bool isOne = !unit.isPiece() && isWaitInMemory(unit.op) && !isLeft(unit.op);
  return isOne ? cast<MPIOpInterface>(unit.op) : nullptr;
}

/// Compares each start separately: if one did not run, what it would touch is meaningless.
Condition FootprintConditions::refineOwnWait(const Unit &wait, const Unit &other, const Chain &chain) {
  auto op = getOwnWait(wait);
  const CompletedStarts *completed = oracle.getCompletedStarts(op);
  if (!completed || getOwnWait(other) || !getAnalysis())
    return Condition::always();
  bool mayMeetRequests = false, writes = false;
  other.walk([&](Operation *access) {
    Behavior behavior = oracle.getBehavior(access);
    writes |= behavior.writes;
    mayMeetRequests |= behavior.touchesMemory() && oracle.mayConflictAtArguments(op, access, other.isPiece());
  });
  if (mayMeetRequests)
    return Condition::always();
  const Footprint touched = getFootprint(other, chain);
  Condition condition;
  for (const InFlightStart &start : completed->starts) {
    bool isWritten = llvm::any_of(MPIOpInterface(start.start).getAccesses(),
                                  [](const BufferAccess &access) { return access.inFlight && access.writes; });
    if (!isWritten && !writes)
      continue;
    std::optional<unsigned> home = findHome(start, chain.findUnit(op), chain);
    if (!home)
      return Condition::always();
    Footprint buffers = findBuffers(start.start, getFootprint(chain.getUnits()[*home], chain));
    if (!buffers.unknownOps.empty() || !isSameAtWait(start, buffers))
      return Condition::always();
    Predicate areApart = compare(buffers, touched);
    if (areApart.isFalse())
      return Condition::always();
    condition |= ask(areApart || Predicate::lessOrEqual(isEntered(chain.getUnits()[*home]), Expr()));
  }
  return condition;
}

Condition FootprintConditions::refine(const Unit &first, const Unit &second, const Chain &chain) {
  Operation *around = first.op->getParentOfType<FunctionOpInterface>();
  if (around != function)
    numPairs = 0;
  function = around;
  if (++numPairs > mostPairs)
    return Condition::always();
  if (!isa_and_nonnull<LLVM::LLVMFuncOp>(around))
    return getOwnWait(first) || getOwnWait(second) ? Condition::always() : ask(compareBoxes(first, second));
  if (getOwnWait(first))
    return refineOwnWait(first, second, chain);
  if (getOwnWait(second))
    return refineOwnWait(second, first, chain);
  return ask(compareFootprints(first, second, chain));
}
