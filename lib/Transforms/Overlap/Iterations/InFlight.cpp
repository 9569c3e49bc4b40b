//===- InFlight.cpp - What a loop after a wait has to keep off -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InFlight.h"

#include "Motion/LeftWaits.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace comm;

const Footprint &InFlight::getFootprint(unsigned unit) {
  auto [it, isNew] = footprints.try_emplace(unit);
  if (!isNew)
    return it->second;
  it->second = getFootprints()->getFootprint(chain.getUnits()[unit]);
  // Nobody but Comm knows where requests are whose waits left a branch, and nobody shall by a comparison.
  llvm::SmallDenseSet<Value> slots;
  chain.getUnits()[unit].walk([&](Operation *op) {
    if (Value slot = getLeftSlot(op))
      slots.insert(slot);
  });
  llvm::erase_if(it->second.pieces, [&](const Piece &piece) { return slots.contains(piece.base.pointer); });
  return it->second;
}

/// Whether all that the piece is computed from is at the wait what it was at the start.
static bool isSame(const InFlightStart &start, const Piece &piece) {
  bool same = !piece.base.pointer || start.isSame(piece.base.pointer);
  auto check = [&](Value value) { same &= start.isSame(value); };
  piece.begin.forEachSymbol(check);
  piece.size.forEachSymbol(check);
  for (const Level &level : piece.levels) {
    level.stride.forEachSymbol(check);
    level.count.forEachSymbol(check);
  }
  piece.holds.forEachSymbol(check);
  return same;
}

/// What a pointer that is no sum of another one and a number is to, as pieces name it.
static Base getObject(Value pointer) {
  auto variable = pointer ? pointer.getDefiningOp<LLVM::AddressOfOp>() : LLVM::AddressOfOp();
  return variable ? Base{Value(), variable.getGlobalNameAttr().getAttr()} : Base{pointer, StringAttr()};
}

/// Whether the pointer is to the object, or to one of several of which it is one: nobody else knows where the object
/// is.
static bool mayPointInto(Value pointer, const Base &object) {
  SmallVector<Value> work{pointer};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (getObject(value) == object)
      return true;
    if (!value || !seen.insert(value).second)
      continue;
    if (auto gep = value.getDefiningOp<LLVM::GEPOp>()) {
      work.push_back(gep.getBase());
    } else if (auto select = value.getDefiningOp<LLVM::SelectOp>()) {
      work.append({select.getTrueValue(), select.getFalseValue()});
    } else if (auto argument = dyn_cast<BlockArgument>(value); argument && !argument.getOwner()->isEntryBlock()) {
      Block *block = argument.getOwner();
      for (auto edge = block->pred_begin(); edge != block->pred_end(); ++edge)
        if (auto branch = dyn_cast<BranchOpInterface>((*edge)->getTerminator()))
          work.push_back(branch.getSuccessorOperands(edge.getSuccessorIndex())[argument.getArgNumber()]);
    }
  }
  return false;
}

/// The pieces of a start, without those of the object that its request is in, which the wait for it names by its own
/// argument: to compare with its address would let others know of it.
const Footprint &InFlight::getBuffers(Operation *start, unsigned home) {
  auto [it, isNew] = buffers.try_emplace(start);
  Footprint &result = it->second;
  if (!isNew)
    return result;
  const Footprint &all = getFootprint(home);
  Value request = cast<MPIOpInterface>(start).getParam("request");
  Base object = request ? getObject(getBasePointer(request)) : Base();
  for (const BufferAccess &access : cast<MPIOpInterface>(start).getAccesses())
    if (object.isKnown() && access.param->role != mpi::Role::Request && mayPointInto(access.buffer, object))
      object = Base();
  for (const Piece &piece : all.pieces)
    if (piece.op == start && (!object.isKnown() || !(piece.base == object)))
      result.pieces.push_back(piece);
  if (all.unknownOps.contains(start) && !(object.isKnown() && all.unknownRequests.contains(start)))
    result.unknownOps.insert(start);
  return result;
}

/// What a wait for requests in memory touches: its arguments, and what its starts own. The unit of a start that ran
/// before it says which bytes those are, for all that it started. If it ran in an iteration before this one of a loop
/// around both, its values are others, and alias analysis alone tells.
void InFlight::addCompleted(Operation *wait, const CompletedStarts &completed, unsigned unit,
                            llvm::function_ref<bool(Value)> isKnown, SmallVectorImpl<Avoided> &avoided) {
  avoided.push_back({wait, nullptr, Arguments::All});
  for (const InFlightStart &start : completed.starts) {
    Operation *op = start.start;
    int home = chain.findUnit(op);
    bool isHere =
        home >= 0 && home <= static_cast<int>(unit) && !start.renewed->contains(chain.getUnits()[home].op->getBlock());
    if (isHere)
      for (const Piece &piece : getBuffers(op, home).pieces)
        isHere &= isSame(start, piece);
    if (isHere)
      avoided.push_back({op, &getBuffers(op, home), std::nullopt, isEntered(home, isKnown)});
    else
      avoided.push_back({wait});
  }
}

/// 1 if control enters the unit, 0 if it is a branch that control goes past. Sizes and pointers that are computed for a
/// branch mean nothing if that is not entered.
Expr InFlight::isEntered(unsigned index, llvm::function_ref<bool(Value)> isKnown) const {
  auto [condition, isEnteredIfTrue] = getEntry(chain.getUnits()[index]);
  if (!condition || !isKnown(condition))
    return Expr(1);
  // As a signed number, true is -1.
  Expr holds = Expr::symbol(condition);
  return isEnteredIfTrue ? Expr() - holds : Expr(1) + holds;
}

SmallVector<Avoided> InFlight::findAvoided(unsigned index, llvm::function_ref<bool(Value)> isKnown) {
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
      avoided.push_back({op, &getFootprint(index), std::nullopt, entered});
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
