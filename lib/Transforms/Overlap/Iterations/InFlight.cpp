//===- InFlight.cpp - What a loop after a wait has to keep off -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InFlight.h"

#include "Motion/LeftWaits.h"

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

/// Whether both are one value, or addresses of one variable.
static bool isSameObject(Value a, Value b) {
  auto first = a ? a.getDefiningOp<LLVM::AddressOfOp>() : LLVM::AddressOfOp();
  auto second = b ? b.getDefiningOp<LLVM::AddressOfOp>() : LLVM::AddressOfOp();
  return a == b || (first && second && first.getGlobalName() == second.getGlobalName());
}

/// The same of what a piece is in.
static bool isIn(const Piece &piece, Value object) {
  auto variable = object.getDefiningOp<LLVM::AddressOfOp>();
  return variable && piece.base.global ? piece.base.global == variable.getGlobalNameAttr().getAttr()
                                       : isSameObject(piece.base.pointer, object);
}

/// Whether the pointer is to the object, or to one of several of which it is one: nobody else knows where the object
/// is.
static bool mayPointInto(Value pointer, Value object) {
  SmallVector<Value> work{pointer};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isSameObject(value, object))
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
  Value object = request ? getBasePointer(request) : Value();
  for (const BufferAccess &access : cast<MPIOpInterface>(start).getAccesses())
    if (object && access.param->role != mpi::Role::Request && mayPointInto(access.buffer, object))
      object = nullptr;
  for (const Piece &piece : all.pieces)
    if (piece.op == start && (!object || !isIn(piece, object)))
      result.pieces.push_back(piece);
  if (all.unknownOps.contains(start) && !(object && all.unknownRequests.contains(start)))
    result.unknownOps.insert(start);
  return result;
}

/// What a wait for requests in memory touches: its arguments, and what its starts own. The unit of a start that ran
/// before it says which bytes those are, for all that it started. If it ran in an iteration before this one of a loop
/// around both, its values are others, and alias analysis alone tells.
void InFlight::addCompleted(Operation *wait, const CompletedStarts &completed, unsigned unit,
                            SmallVectorImpl<Avoided> &avoided) {
  avoided.push_back({wait, nullptr, /*isByArguments=*/true});
  for (const InFlightStart &start : completed.starts) {
    Operation *op = start.start;
    int home = chain.findUnit(op);
    bool isHere =
        home >= 0 && home <= static_cast<int>(unit) && !start.renewed->contains(chain.getUnits()[home].op->getBlock());
    if (isHere)
      for (const Piece &piece : getBuffers(op, home).pieces)
        isHere &= isSame(start, piece);
    if (isHere)
      avoided.push_back({op, &getBuffers(op, home)});
    else
      avoided.push_back({wait});
  }
}

SmallVector<Avoided> InFlight::findAvoided(unsigned index) {
  const Unit &unit = chain.getUnits()[index];
  SmallVector<Avoided> avoided;
  unit.walk([&](Operation *op) {
    if (!oracle.getBehavior(op).touchesMemory())
      return;
    if (const CompletedStarts *completed = isWaitInMemory(op) ? oracle.getCompletedStarts(op) : nullptr)
      addCompleted(op, *completed, index, avoided);
    else
      avoided.push_back({op, &getFootprint(index)});
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
